import { resolve } from 'node:path';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { listDefinitionPlaces } from '../../session/knowledge/skills.ts';
import { lookAround } from '../../session/surroundings.ts';
import { builtInPrograms } from '../../session/workflows/programs.ts';
import { openTrust } from '../../settings/trust.ts';
import { findScripts } from '../../workflows/find-scripts.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre workflows`: what `cadre run` can run here. */
export async function listWorkflows({
  pluginDir,
  addDir,
  json,
}: FlagsOf<'workflows list'>): Promise<Result<string>> {
  const around = lookAround({});
  const absolute = (paths: string[] = []) => paths.map((path) => resolve(around.cwd, path));
  const places = listDefinitionPlaces(
    { pluginDirectories: absolute(pluginDir), additionalDirectories: absolute(addDir) },
    around,
  );
  const { scripts, broken } = findScripts(places, openTrust({ home: around.home, root: around.root }));
  const rows = [
    ...Object.entries(builtInPrograms).flatMap(([name, { about }]) =>
      about === undefined ? [] : [{ name, description: about, file: 'built in', isTrusted: true }],
    ),
    ...scripts.map(({ meta, file, isTrusted }) => ({
      name: meta.name,
      description: meta.description,
      file,
      isTrusted,
    })),
  ];
  if (json) return ok(formatJson({ workflows: rows, broken }));
  if (rows.length + broken.length === 0)
    return failure(
      'There are no workflows here.',
      'A workflow is a file such as .cadre/workflows/review.js; docs/workflows.md shows one.',
    );
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const lines = rows.map(
    ({ name, description, isTrusted }) =>
      `${name.padEnd(width)}  ${visibleLine(description, 120)}${isTrusted ? '' : ' (not trusted: cadre trust)'}`,
  );
  const wrong = broken.map(({ reason }) => `ignored: ${visibleLine(reason, 400)}`);
  return ok(`${[...lines, ...wrong].join('\n')}\n`);
}
