import { join, relative } from 'node:path';
import type { HandoffFileKind } from '../../handoffs/built-in.ts';
import type { HandoffProfile, HandoffProtocol, HandoffTemplate } from '../../handoffs/file-types.ts';
import type { HandoffLibrary } from '../../handoffs/load-library.ts';
import { resolveTemplate } from '../../handoffs/resolve-template.ts';
import { handoffRoles, isRoleName, phaseRoles } from '../../handoffs/roles.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { countThings } from '../../lib/text/count-things.ts';
import { visibleLine, visibleProse } from '../../lib/text/text.ts';
import { lookAround } from '../../session/surroundings.ts';
import { openTrust } from '../../settings/trust.ts';
import { describeBroken, joinSections, section } from '../definitions/sections.ts';
import { openListJudge } from '../list-judge.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre handoff templates` and `profiles`: what applies here, from where, and what is wrong with the rest. */
export async function listHandoffFiles(
  kind: 'templates' | 'profiles',
  flags: FlagsOf<'handoff templates'>,
): Promise<Result<string>> {
  const loaded = await loadHere();
  if (!loaded.ok) return loaded;
  const library = loaded.value;
  const entries = [...library[kind].values()].map(({ body: _, ...shown }) => shown);
  return ok(
    flags.json
      ? formatJson({ [kind]: entries, broken: library.broken, held: library.held })
      : page(kind, library),
  );
}

/** `cadre handoff show`: the file as it applies, and what a template resolves to. */
export async function showHandoffFile(name: string, flags: FlagsOf<'handoff show'>): Promise<Result<string>> {
  const loaded = await loadHere();
  if (!loaded.ok) return loaded;
  const found = findNamed(loaded.value, name);
  if (!found.ok) return found;
  const shown = found.value.map(({ kind, file }) => ({
    kind,
    ...file,
    ...resolve(kind, file, loaded.value),
  }));
  return ok(flags.json ? formatJson(shown) : shown.map(renderShown).join('\n'));
}

/** `cadre handoff schema`. */
export async function printHandoffSchema(name: string | undefined): Promise<Result<string>> {
  const { exportSchema, schemaNames } = await import('../../handoffs/json-schemas.ts');
  const schema =
    name === undefined
      ? Object.fromEntries(schemaNames.map((one) => [one, exportSchema(one)]))
      : exportSchema(name);
  if (schema === undefined)
    return usage(
      `Unknown schema "${visibleLine(name ?? '', 100)}".`,
      `Choose one of ${schemaNames.join(', ')}.`,
    );
  return ok(formatJson(schema));
}

/** `cadre handoff init`. */
export async function initHandoffFiles(flags: FlagsOf<'handoff init'>): Promise<Result<string>> {
  const { writeBuiltInFiles } = await import('../../handoffs/write-files.ts');
  const { root, home } = lookAround({});
  const [base, directory] = flags.user
    ? [home, join(home, 'sub-agents')]
    : [root, join(root, '.cadre', 'sub-agents')];
  const written = writeBuiltInFiles(directory, base, flags.force === true);
  if (!written.ok) return written;
  if (flags.json) return ok(formatJson(written.value));
  const lines = written.value.map(({ file, what }) => `${what.padEnd(9)}  ${relative(base, file)}`);
  const kept = written.value.filter(({ what }) => what === 'kept').length;
  const notes = [
    ...(kept > 0 ? [`Kept as you changed them: ${countThings(kept, 'file')}; --force replaces them.`] : []),
    ...(flags.user ? [] : ['Change them, then run cadre trust: they take effect once you trust them.']),
  ];
  return ok(`${[...lines, '', ...notes].join('\n').trimEnd()}\n`);
}

async function loadHere(): Promise<Result<HandoffLibrary>> {
  const { loadLibrary } = await import('../../handoffs/load-library.ts');
  const around = lookAround({});
  const { cwd, root, home, userHome } = around;
  const judge = await openListJudge(around, []);
  if (!judge.ok) return judge;
  const trust = openTrust({ home, root });
  return ok(await loadLibrary({ cwd, root, home, userHome, trust, judge: judge.value }));
}

function page(kind: 'templates' | 'profiles', library: HandoffLibrary): string {
  const entries = [...library[kind].values()];
  const width = Math.max(...entries.map(({ name }) => name.length));
  const rows = entries.flatMap((entry) => [
    `${visibleLine(entry.name, 100).padEnd(width)}  ${entry.source.padEnd(8)}  ${'tools' in entry ? describeProfile(entry) : describeTemplate(entry)}`,
    ...(entry.file === undefined ? [] : [`    ${visibleLine(entry.file, 500)}`]),
    ...entry.notes.map((note) => `    note: ${visibleLine(note, 500)}`),
  ]);
  const held = library.held.map(({ file }) => file);
  return joinSections([
    rows.join('\n'),
    ...section('Broken; nothing is used in their place:', describeBroken(library.broken)),
    ...section('Not trusted, no effect (cadre trust):', held),
  ]);
}

function describeProfile({ tools }: HandoffProfile): string {
  return visibleLine(tools.join(', '), 500);
}

function describeTemplate({ name, phase, profile, moreTools, model }: HandoffTemplate): string {
  const role = isRoleName(name) ? name : phaseRoles[phase];
  const alias = model ?? handoffRoles[role].model;
  const granted = visibleLine([profile, ...moreTools].join(' + '), 500);
  return `${phase.padEnd(8)}  ${visibleLine(alias, 60).padEnd(6)}  ${granted}`;
}

interface Named {
  kind: HandoffFileKind;
  file: HandoffTemplate | HandoffProfile | HandoffProtocol;
}

/** A template and a profile may have one name: then both, unless the kind is named too. */
function findNamed(library: HandoffLibrary, given: string): Result<Named[]> {
  const [, wanted, name = given] = /^(templates|profiles|protocols)\/(.+)$/.exec(given) ?? [];
  const kinds = (['templates', 'profiles', 'protocols'] as const).filter(
    (kind) => wanted === undefined || kind === wanted,
  );
  const found = kinds.flatMap((kind): Named[] => {
    const file = library[kind].get(name);
    return file === undefined ? [] : [{ kind, file }];
  });
  if (found.length > 0) return ok(found);
  const fault = library.broken.find((one) => one.name === name);
  if (fault) return usage(describeBroken([fault]).join(''), 'Fix the file, or delete it.');
  const names = kinds.flatMap((kind) => [...library[kind].keys()].map((one) => `${kind}/${one}`));
  return usage(
    `No template, profile or protocol "${visibleLine(given, 100)}".`,
    `Available: ${names.join(', ')}.`,
  );
}

function resolve(kind: HandoffFileKind, { name }: { name: string }, library: HandoffLibrary) {
  if (kind !== 'templates') return {};
  const resolved = resolveTemplate(library, name);
  return resolved.ok ? { resolvedTools: resolved.value.tools } : { problem: resolved.problem.message };
}

function renderShown(
  shown: Named['file'] & { kind: HandoffFileKind; resolvedTools?: readonly string[]; problem?: string },
): string {
  const { kind, name, description, source, file, body, notes, resolvedTools, problem } = shown;
  const facts: [string, string | undefined][] = [
    ['from', file === undefined ? source : `${source}, ${file}`],
    ['for', description],
    ['phase', 'phase' in shown ? shown.phase : undefined],
    ['tools', resolvedTools?.join(', ') ?? ('tools' in shown ? shown.tools.join(', ') : undefined)],
    ['problem', problem],
    ...notes.map((note): [string, string] => ['note', note]),
  ];
  return [
    `${kind}/${visibleLine(name, 200)}`,
    ...facts.flatMap(([label, text]) => (text ? [`  ${label.padEnd(7)}  ${visibleLine(text, 1_000)}`] : [])),
    '',
    visibleProse(body),
    '',
  ].join('\n');
}
