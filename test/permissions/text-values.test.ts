import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
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
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';
import { operandsFor } from './option-lines.ts';
import { traceLines } from './trace-lines.ts';

const reading: ToolTable = { ...builtins, ...viewingTools, ...textTools, ...fileTools };

/** A workspace, a file outside that nothing may open, and a home. */
function openGround() {
  const path = resolveRealPath(temporaryDirectory().path);
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

/** Each option that takes text, with a value that could be taken for the name of a file. */
function textLines(programs: readonly Program[], file: string): string[] {
  const values = [file, `@${file}`, `'TZ="${file}" 2020-01-01'`, `file://${file}`, `x=@${file}`, `+${file}`];
  return programs.flatMap(({ name, flags, rest, isFind }) =>
    flags.flatMap((flag) =>
      values.map((value, index) => {
        const isJoined = index % 2 === 1 && !isFind;
        const given = isJoined ? `${flag}${flag.startsWith('--') ? '=' : ''}${value}` : `${flag} ${value}`;
        return isFind ? `${name} . -maxdepth 0 ${given}` : `timeout 5 ${name} ${given} ${rest}`.trimEnd();
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

function textFlags(flags: string): string[] {
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
  expect(traces.length).toBe(lines.length);
  // A file that is asked for its target as a link was reached: it is just none.
  const isReached = (call: string) =>
    !/^(?:execve|chdir)\(|= -1 (?!EINVAL)/.test(call) &&
    (/"([^"]*)"/.exec(call)?.[1] ?? '').endsWith(`/${name}`);
  return traces.filter(({ calls }) => calls.some(isReached)).map(({ line }) => line);
}

const traced = needs('strace');

traced(
  'G9 text that an option takes is never the name of a file, for any program that runs without asking',
  () => {
    const ground = openGround();
    const lines = textLines([find, ...freePrograms], join(ground.path, 'canary'));
    const allowed = lines.filter((line) => ground.on(line) === 'allow');
    expect(allowed.length).toBeGreaterThan(400);
    expect(findOpened(allowed, 'canary', ground)).toEqual([]);
  },
  180_000,
);

traced(
  'nor for a program that a rule allows, where another rule refuses the file',
  () => {
    const ground = openGround();
    const lines = textLines([find, ...grantedPrograms], './.env');
    const allowed = lines.filter((line) => {
      const name = line.replace(/^timeout 5 /, '').split(' ')[0] ?? '';
      return ground.on(line, { allow: [`Bash(${name}:*)`], deny: ['Read(.env)'] }) === 'allow';
    });
    expect(findOpened(allowed, '.env', ground)).toEqual([]);
  },
  180_000,
);

test('a program that is in two tables has the same forms of values in both', () => {
  const different = Object.entries({ ...writers, tar: tarWriter }).flatMap(([name, writer]) => {
    const spec = Object.hasOwn(reading, name) ? reading[name] : undefined;
    const flags = new Set(textFlags(writer.flags));
    return Object.entries(spec?.values ?? {}).flatMap(([flag, form]) =>
      flags.has(flag) && writer.values?.[flag]?.source !== form.source ? [`${name} ${flag}`] : [],
    );
  });
  expect(different).toEqual([]);
});

test('a rule for a program does not let its text name a file that another rule refuses', () => {
  const { on } = openGround();
  const lines = [
    ...['iconv -f ./.env -t utf8 a.txt', `touch -d 'TZ="./.env" 2020-01-01' a.txt`, 'curl -z .env http://x/'],
    ...[`tar --mtime='TZ="./.env" 2020-01-01' -cf x.tar a.txt`, 'tar --mtime=./.env -cf x.tar a.txt'],
    ...[
      `find . -newermt 'TZ="./.env" 2020-01-01' -delete`,
      'curl -z -.env http://x/',
      'getconf PATH_MAX .env',
    ],
    'realpath --relative-to=.env a.txt',
  ];
  for (const more of [
    { allow: lines.map((line) => `Bash(${line.split(' ')[0]}:*)`) },
    { mode: 'bypassPermissions' as const },
  ])
    for (const line of lines)
      expect([line, on(line, { deny: ['Read(.env)'], ...more }) === 'allow']).toEqual([line, false]);
});

test('curl does not read the names and passwords of other hosts under a rule for curl', () => {
  const { on } = openGround();
  for (const line of ['curl -n http://x/', 'curl -sSnL http://x/', 'curl --netrc http://x/'])
    for (const more of [{ allow: ['Bash(curl:*)'] }, { allow: ['Bash(curl:*)'], deny: ['Read(~/.netrc)'] }])
      expect([line, on(line, more)]).toEqual([line, 'ask']);
  expect(on('curl -n http://x/', { mode: 'bypassPermissions', deny: ['Read(~/.netrc)'] })).not.toBe('allow');
  expect(on('curl -sSL http://x/', { allow: ['Bash(curl:*)'] })).toBe('allow');
});

test('curl reads ldaprc of its directory whatever it is asked', () => {
  const { cwd, path, on } = openGround();
  const granted = { allow: ['Bash(curl:*)'], deny: [`Read(/${path}/canary)`] };
  expect([on('curl --version'), on('curl http://x/', granted)]).toEqual(['allow', 'allow']);
  symlinkSync(join(path, 'canary'), join(cwd, 'ldaprc'));
  expect([on('curl --version'), on('curl http://x/', granted)]).toEqual(['ask', 'deny']);
});

test('the files of the user are not reached in any mode', () => {
  const { userHome, on } = openGround();
  const keys = join(userHome, '.cadre/keys.json');
  for (const line of [`find . -newermt 'TZ="${keys}" 2020-01-01'`, `touch -d 'TZ="${keys}" now' a.txt`])
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect([line, on(line, { mode, allow: ['Bash'] })]).toEqual([line, 'deny']);
});

test('ordinary values stay free', () => {
  const { on } = openGround();
  const lines = [
    ...['find . -newermt 2024-01-01', "find . -newermt '2 days ago'", 'find . -mtime -1', 'curl --version'],
    ...[
      'date -d yesterday',
      'iconv -f latin1 -t utf8 a.txt',
      'realpath --relative-to=. sub/a',
      'getconf PATH_MAX',
    ],
    ...["date -d '2024-01-01 10:00' +%s", 'getconf PATH_MAX .', 'kill -l 9', 'kill -l'],
  ];
  for (const line of lines) expect([line, on(line)]).toEqual([line, 'allow']);
  const granted = [
    ...['touch -d 2020-01-01 a.txt', "touch -d '2 days ago' a.txt", 'curl -z 2024-01-01 http://x/'],
    ...["curl -z 'Tue, 3 Jan 2024 10:00:00' http://x/", 'tar --mtime=2020-01-01 -cf x.tar a.txt'],
    'iconv -f latin1 -t utf8 -o b.txt a.txt',
  ];
  for (const line of granted)
    expect([line, on(line, { allow: [`Bash(${line.split(' ')[0]}:*)`] })]).toEqual([line, 'allow']);
});
