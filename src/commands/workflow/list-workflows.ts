import { resolve } from 'node:path';
import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { listDefinitionPlaces } from '../../session/knowledge/skills.ts';
import { lookAround } from '../../session/surroundings.ts';
import { builtInPrograms } from '../../session/workflows/programs.ts';
import { openTrust } from '../../settings/trust.ts';
import { findScripts } from '../../workflows/find-scripts.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre workflows`: what `cadre run` can run here. */
export async function listWorkflows({ pluginDir, addDir, json }: FlagsOf<'workflows list'>): Promise<number> {
  const io = processIo();
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
  if (json) return (await io.writeOut(`${JSON.stringify({ workflows: rows, broken }, null, 2)}\n`)) ? 0 : 1;
  if (rows.length + broken.length === 0)
    return complain(io, {
      kind: 'failure',
      message: 'There are no workflows here.',
      hint: 'A workflow is a file such as .cadre/workflows/review.js; docs/workflows.md shows one.',
    });
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const lines = rows.map(
    ({ name, description, isTrusted }) =>
      `${name.padEnd(width)}  ${visibleLine(description, 120)}${isTrusted ? '' : ' (not trusted: cadre trust)'}`,
  );
  const wrong = broken.map(({ reason }) => `ignored: ${visibleLine(reason, 400)}`);
  return (await io.writeOut(`${[...lines, ...wrong].join('\n')}\n`)) ? 0 : 1;
}
