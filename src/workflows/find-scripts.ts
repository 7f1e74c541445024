import { basename } from 'node:path';
import { RealPlaces } from '../lib/files/real-places.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { nearNames } from '../lib/text/near-names.ts';
import { visibleLine } from '../lib/text/text.ts';
import {
  type DefinitionPlace,
  type DefinitionPlacesOptions,
  definitionPlaces,
} from '../settings/definition-places.ts';
import { pieceFile, type Trust } from '../settings/trust.ts';
import { findMarkdown, readSmallText } from '../workspace/find-markdown.ts';
import { readScript, type WorkflowScript } from './read-script.ts';

/** A script with where it comes from. One of a repository runs only while the user trusts exactly this text. */
export interface FoundScript extends WorkflowScript {
  source: string;
  isTrusted: boolean;
}

export interface FoundScripts {
  /** One of each name, sorted by name. */
  scripts: FoundScript[];
  broken: { file: string; reason: string }[];
}

const maxScriptBytes = 1024 * 1024;
const maxEntries = 2_000;
const scriptName = /\.(?:js|mjs|ts|mts)$/i;
/** The user's before the repository's: no checkout replaces a workflow that the user wrote. */
const order: readonly DefinitionPlace['source'][] = ['managed', 'user', 'project', 'plugin'];

/** Finds all workflow scripts. Broken ones are listed with the reason; nothing is run. */
export function findScripts(options: DefinitionPlacesOptions, trust: Trust): FoundScripts {
  const found: FoundScripts = { scripts: [], broken: [] };
  const lent = { buffer: Buffer.allocUnsafe(64 * 1024), places: new RealPlaces() };
  try {
    for (const place of orderPlaces(definitionPlaces('workflows', options))) {
      const { files, problems } = findMarkdown(place.directory, place.within, {
        entries: maxEntries,
        only: scriptName,
      });
      found.broken.push(...problems);
      for (const { path, real } of files) {
        const text = readSmallText(real, maxScriptBytes, lent);
        const script = text.ok ? readScript(path, text.value) : usage(`${path}: ${text.problem}.`);
        if (!script.ok) found.broken.push({ file: path, reason: script.problem.message });
        else
          addScript(found, {
            ...script.value,
            isTrusted: judge(script.value, place, options, trust),
          });
      }
    }
  } finally {
    lent.places.close();
  }
  found.scripts.sort((one, other) => (one.meta.name < other.meta.name ? -1 : 1));
  return found;
}

function orderPlaces(places: DefinitionPlace[]): DefinitionPlace[] {
  return order.flatMap((source) => places.filter((place) => place.source === source));
}

function addScript(found: FoundScripts, script: FoundScript): void {
  const known = found.scripts.find(({ meta }) => meta.name === script.meta.name);
  if (known)
    found.broken.push({
      file: script.file,
      reason: `${script.file}: the name ${script.meta.name} is taken by ${known.file}, which is used instead.`,
    });
  else found.scripts.push(script);
}

function judge(
  { file, source }: WorkflowScript,
  { source: origin }: DefinitionPlace,
  { root }: DefinitionPlacesOptions,
  trust: Trust,
): boolean {
  if (origin !== 'project') return true;
  return trust.isTrusted({ kind: 'workflow', file: pieceFile(root, file), content: source });
}

/** A script by its name. */
export function chooseScript({ scripts, broken }: FoundScripts, name: string): Result<FoundScript> {
  const script = scripts.find(({ meta }) => meta.name === name);
  if (script && !script.isTrusted)
    return usage(
      `Workflow ${name} (${script.file}) comes from this repository and is not trusted.`,
      'Review it with `cadre trust`.',
    );
  if (script) return ok(script);
  const wrong = broken.find(({ file }) => basename(file).replace(scriptName, '') === name);
  if (wrong) return usage(`Workflow ${name} cannot be used: ${wrong.reason}`);
  const names = scripts.map(({ meta }) => meta.name);
  const near = nearNames(name, names);
  const known = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : describeNames(names);
  return usage(`There is no workflow ${visibleLine(name, 100)}.`, known);
}

function describeNames(names: readonly string[]): string {
  if (names.length === 0)
    return 'Workflows are files such as .cadre/workflows/review.js or ~/.cadre/workflows/review.js.';
  return `Workflows: ${names.slice(0, 30).join(', ')}.`;
}
