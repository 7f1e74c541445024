import { type Told, untold } from '../../lib/told.ts';
import { joinRevision } from '../git/revisions.ts';
import { listPieces } from '../walk/broken-names.ts';
import type { MadeName, Pieces, Revisions, Sweep, Value } from './types.ts';

export const maxValues = 64;
/** A longer value counts as computed: variables that double each other would fill the memory. */
const maxLength = 64 * 1024;

/** A word while its parts are put together. */
export interface Building {
  /** Undefined once something computed was found. */
  values: Value[] | undefined;
  single: boolean;
  environment: boolean;
  mayMatch: boolean;
  isPlain: boolean;
  /** Some part of it is a pattern. */
  hasPattern: boolean;
  /** Names that a search found, of which it contains only a part. */
  pieces: Pieces[];
  /** Texts and commits, in order; undefined once anything else was found. */
  spelled: (string | Revisions)[] | undefined;
}

interface Computed {
  readonly environment?: boolean;
  /** Between double quotes, where nothing is a pattern. */
  readonly inQuotes?: boolean;
  /** It is one word, whatever happens. */
  readonly quoted?: boolean;
  readonly isPlain?: boolean | undefined;
  readonly pieces?: readonly Pieces[];
  readonly revisions?: Revisions | undefined;
}

export function addComputed(
  building: Building,
  { environment, inQuotes, quoted, isPlain, pieces = [], revisions }: Computed = {},
): void {
  building.pieces.push(...pieces, ...(building.values ?? []).flatMap(listPieces));
  building.values = undefined;
  if (revisions) building.spelled?.push(revisions);
  else building.spelled = undefined;
  if (!quoted) building.single = false;
  if (environment) building.environment = true;
  if (isPlain) return;
  building.isPlain = false;
  if (!quoted && !inQuotes) building.mayMatch = true;
}

/** The commits that a word names, where a single substitution or variable is its only computed part. */
export function spellBuilt({ values, spelled }: Building): Revisions | undefined {
  const at = spelled?.findIndex((part) => typeof part !== 'string') ?? -1;
  const revisions = spelled?.[at];
  if (values || !spelled || !revisions || typeof revisions === 'string') return undefined;
  const texts = spelled.map((part) => (typeof part === 'string' ? part : undefined));
  if (texts.slice(at + 1).includes(undefined)) return undefined;
  return joinRevision(revisions, texts.slice(0, at).join(''), texts.slice(at + 1).join(''));
}

export function add(building: Building, values: readonly Value[]): void {
  if (values.some(({ isPattern }) => isPattern)) building.hasPattern = true;
  const [only, ...others] = values;
  if (only && others.length === 0 && !only.isPattern && !only.sweep) building.spelled?.push(only.text);
  else building.spelled = undefined;
  if (!building.values) {
    building.pieces.push(...values.flatMap(listPieces));
    return;
  }
  // A name that may be missing, with text beside it: `$(find …)/etc` may be `/etc`.
  const isBeside = building.values.some((before) =>
    values.some(
      (value) =>
        (before.sweep?.mayBeEmpty && value.text !== '') || (value.sweep?.mayBeEmpty && before.text !== ''),
    ),
  );
  if (isBeside) {
    addComputed(building, { pieces: values.flatMap(listPieces) });
    return;
  }
  const isLong = building.values.some(({ text }) =>
    values.some((value) => text.length + value.text.length > maxLength),
  );
  if (isLong || building.values.length * values.length > maxValues) {
    addComputed(building, { pieces: values.flatMap(listPieces) });
    return;
  }
  building.values = building.values.flatMap((before) =>
    values.map((value) => ({
      text: before.text + value.text,
      glob: before.glob + value.glob,
      isPattern: before.isPattern || value.isPattern,
      ...keepNames(before, value),
      ...buildMade(before, value),
    })),
  );
}

/** Only a name alone is still one of those that the search found. */
function keepNames(before: Value, value: Value): Pick<Value, 'sweep' | 'pieces'> {
  if (value.text === '') return { ...(before.sweep ? { sweep: before.sweep } : {}), ...ownPieces(before) };
  if (before.text === '') return { ...(value.sweep ? { sweep: value.sweep } : {}), ...ownPieces(value) };
  const all = [before, value].flatMap(({ sweep, pieces }): Pick<Sweep, 'taken' | 'from' | 'tracked'>[] => [
    ...(pieces ? [pieces] : []),
    ...(sweep ? [sweep] : []),
  ]);
  if (all.length === 0) return {};
  const taken = strictest.find((way) => all.some((one) => one.taken === way));
  const tracked = all.some((one) => one.tracked) ? { tracked: true as const } : {};
  return { pieces: { taken, from: [...new Set(all.flatMap(({ from = [] }) => from))], ...tracked } };
}

const strictest = ['words', 'xargs', 'trimmed', 'line', 'whole'] as const;

function ownPieces({ pieces }: Value): Pick<Value, 'pieces'> {
  return pieces ? { pieces } : {};
}

/** A found name beside text, or beside another name, is a new one. A shell pattern finds only existing names. */
function buildMade(before: Value, value: Value): Pick<Value, 'made'> {
  if (value.text === '') return before.made === undefined ? {} : { made: before.made };
  if (before.text === '') return value.made === undefined ? {} : { made: value.made };
  const first = asMade(before);
  const last = asMade(value);
  if (!first && !last) return {};
  if (first === untold || last === untold) return { made: untold };
  if (first && !last && !value.isPattern) return { made: { ...first, after: first.after + value.text } };
  if (last && !first && !before.isPattern) return { made: { ...last, before: before.text + last.before } };
  return { made: untold };
}

function asMade(value: Value): Told<MadeName> | undefined {
  if (value.made !== undefined) return value.made;
  if (value.sweep) return untold;
  return value.isPattern && value.pieces ? { before: '', glob: value.glob, after: '' } : undefined;
}
