import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { knownFlags } from '../../src/shell/programs/option-words.ts';
import type { ToolTable } from '../../src/shell/programs/tool-spec.ts';
import { builtins } from '../../src/shell/tables/builtins.data.ts';
import { fileTools } from '../../src/shell/tables/file-tools.data.ts';
import { findPrimaries } from '../../src/shell/tables/find.data.ts';
import { textTools } from '../../src/shell/tables/text-tools.data.ts';
import { curlFlags, tarWriter, wgetFlags } from '../../src/shell/tables/transfers.data.ts';
import { viewingTools } from '../../src/shell/tables/viewing-tools.data.ts';
import { writers } from '../../src/shell/tables/writers.data.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { type Case, judge } from './cases.ts';
import { operandsFor } from './option-lines.ts';
import { traceLines } from './trace-lines.ts';

export const reading: ToolTable = { ...builtins, ...viewingTools, ...textTools, ...fileTools };

/** A workspace, a file outside that nothing may open, and a home, in an empty directory. */
export function openGround(directory: string) {
  const path = resolveRealPath(directory);
  const cwd = join(path, 'work');
  const userHome = join(path, 'home');
  for (const directory of [join(cwd, 'sub'), join(userHome, '.cadre')])
    mkdirSync(directory, { recursive: true });
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(cwd, name), 'one\n');
  writeFileSync(join(cwd, 'a.json'), '{"a":1}\n');
  for (const canary of [join(path, 'canary'), join(cwd, '.env')]) writeFileSync(canary, 'UTF-8\n');
  const place = { cwd, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]), userHome };
  const workspace = { ...place, home: join(userHome, '.cadre') };
  const on = (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd }], workspace, ...more }).behaviour;
  return { path, cwd, userHome, on, workspace };
}

const isInstalled = (name: string) => spawnSync('which', [name], { stdio: 'ignore' }).status === 0;

/** Each option that takes text, with values that could be taken for the name of a file: all of them, or one of them. */
function textLines(programs: readonly Program[], file: string, isWhole: boolean): string[] {
  const values = [file, `@${file}`, `'TZ="${file}" 2020-01-01'`, `file://${file}`, `x=@${file}`, `+${file}`];
  return programs.flatMap(({ name, flags, rest, isFind }) =>
    flags.flatMap((flag, place) =>
      values.flatMap((value, index) => {
        if (!isWhole && index !== place % values.length) return [];
        const isJoined = index % 2 === 1 && !isFind;
        const given = isJoined ? `${flag}${flag.startsWith('--') ? '=' : ''}${value}` : `${flag} ${value}`;
        return [isFind ? `${name} . -maxdepth 0 ${given}` : `timeout 5 ${name} ${given} ${rest}`.trimEnd()];
      }),
    ),
  );
}

interface Program {
  readonly name: string;
  readonly flags: readonly string[];
  readonly rest: string;
  readonly isFind?: true;
}

export function textFlags(flags: string): string[] {
  const spec = { why: '', flags, operands: 'text' as const };
  return [...knownFlags(spec)].flatMap(([flag, kind]) => (kind === 'value' ? [flag] : []));
}

const find: Program = {
  name: 'find',
  flags: [...findPrimaries].flatMap(([name, count]) => (count === 1 ? [name] : [])),
  rest: '',
  isFind: true,
};

const shellOnly = /^(?:cd|type|read|set|wait|jobs|ulimit|umask|dpkg)$/;

const freePrograms: readonly Program[] = Object.entries(reading)
  .filter(([name]) => !shellOnly.test(name) && isInstalled(name))
  .map(([name, { flags }]) => ({ name, flags: textFlags(flags), rest: operandsFor(name) }));

const closedPort = 'http://127.0.0.1:9/x';
const grantedPrograms: readonly Program[] = [
  ...Object.entries(writers).map(([name, { flags }]) => ({
    name,
    flags: textFlags(flags),
    rest: 'a.txt b.txt',
  })),
  { name: 'curl', flags: textFlags(curlFlags), rest: closedPort },
  { name: 'wget', flags: textFlags(wgetFlags), rest: `-t1 ${closedPort}` },
  { name: 'tar', flags: textFlags(tarWriter.flags), rest: '-cf x.tar a.txt' },
].filter(({ name }) => isInstalled(name));

/** The lines that are allowed and reach the file all the same. */
function findOpened(lines: readonly string[], name: string, ground: ReturnType<typeof openGround>): string[] {
  const env = { PATH: process.env.PATH ?? '', HOME: ground.userHome, LC_ALL: 'C.UTF-8' };
  const traces = traceLines(lines, '%file', { cwd: ground.cwd, path: ground.path, env });
  if (traces.length !== lines.length)
    throw new Error(`${traces.length} of ${lines.length} lines were traced`);
  // A file that is asked for its target as a link was reached: it is just none.
  const isReached = (call: string) =>
    !/^(?:execve|chdir)\(|= -1 (?!EINVAL)/.test(call) &&
    (/"([^"]*)"/.exec(call)?.[1] ?? '').endsWith(`/${name}`);
  return traces.filter(({ calls }) => calls.some(isReached)).map(({ line }) => line);
}

/** What the kernel saw of the lines that run without asking. */
export interface Reached {
  readonly lines: number;
  readonly opened: readonly string[];
}

export function reachByFree(isWhole: boolean): Reached {
  return reach('canary', (ground) =>
    textLines([find, ...freePrograms], join(ground.path, 'canary'), isWhole).filter(
      (line) => ground.on(line) === 'allow',
    ),
  );
}

/** The same for programs that a rule allows, where another rule refuses the file. */
export function reachByGranted(isWhole: boolean): Reached {
  return reach('.env', (ground) =>
    textLines([find, ...grantedPrograms], './.env', isWhole).filter((line) => {
      const name = line.replace(/^timeout 5 /, '').split(' ')[0] ?? '';
      return ground.on(line, { allow: [`Bash(${name}:*)`], deny: ['Read(.env)'] }) === 'allow';
    }),
  );
}

function reach(name: string, listAllowed: (ground: ReturnType<typeof openGround>) => string[]): Reached {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-text-'));
  try {
    const ground = openGround(directory);
    const allowed = listAllowed(ground);
    return { lines: allowed.length, opened: findOpened(allowed, name, ground) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
