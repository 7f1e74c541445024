import { expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  doorFiles,
  findBrokenWalls,
  findKnots,
  listLoaded,
  readSource,
  roomOrder,
  type SourceFile,
} from '../scripts/house.ts';
import { blankSource, importsOf } from '../scripts/source.ts';
import { findTestedOnly } from '../scripts/unused.ts';

const repository = join(import.meta.dirname, '..');
const files = readSource(join(repository, 'src'));

test('every room imports only from rooms above it', () => {
  expect(findBrokenWalls(files)).toEqual([]);
});

test('no files import each other in a circle, not even for types', () => {
  expect(findKnots(files)).toEqual([]);
});

/** Exports that no other code of the program uses, and why they are there. */
const usedElsewhere: Readonly<Record<string, string>> = {
  'checks/project-files.ts: memoryProjectFiles': 'the twin of a port',
  'commands/low-limits.ts: refuseLowLimits': 'called by what scripts/compile.ts puts before the program',
  'lib/ids.ts: countedIds': 'the twin of a port',
  'lib/local-socket/memory-connection.ts: connectInMemory': 'the twin of a port',
  'mcp/auth-store.ts: memoryAuthStore': 'the twin of a port',
  'mcp/pins.ts: memoryPins': 'the twin of a port',
  'models/keys.ts: memoryKeyStore': 'the twin of a port',
  'models/pacer/store.ts: memoryPacing': 'the twin of a port',
  'places/look.ts: emptyLook': 'the twin of a port',
};

test('nothing is exported for tests alone', () => {
  const isPublic = (path: string) => path.startsWith('testing/') || doorFiles.includes(path);
  expect(findTestedOnly(files, isPublic).toSorted()).toEqual(Object.keys(usedElsewhere));
});

test('an export is used where it is imported, also later, by way of another file or in its own', () => {
  const declared = 'export function read() {}\nexport const maxReads = 3;\nexport interface Reader {}\n';
  const file = { ...fileOf('lib/a.ts'), text: `${declared}const all: Reader[] = [];` };
  const pass = { ...fileOf('lib/index.ts', './a.ts'), text: "export * from './a.ts';" };
  const late = {
    ...fileOf('loop/b.ts', '../lib/index.ts'),
    text: "(await import('../lib/index.ts')).read();",
  };
  const find = (...others: SourceFile[]) => findTestedOnly([file, ...others], () => false);
  expect(find()).toEqual(['lib/a.ts: read', 'lib/a.ts: maxReads']);
  expect(find(pass)).toEqual(['lib/a.ts: read', 'lib/a.ts: maxReads']);
  expect(find(pass, late)).toEqual(['lib/a.ts: maxReads']);
});

test('docs/house.md lists the rooms in the same order', async () => {
  const page = await Bun.file(join(repository, 'docs', 'house.md')).text();
  const rows = [...page.matchAll(/^\| \d+ \| (.+?) \|/gm)].map((row) =>
    [...(row[1] ?? '').matchAll(/`([^`]+?)\/?`/g)].map((name) => name[1]),
  );
  expect(rows as unknown[]).toEqual([...roomOrder, doorFiles]);
});

test('Bun is called only in lib/, where a way for Node stands beside it', () => {
  const callers = files
    .filter((file) => !file.path.startsWith('lib/'))
    .filter((file) => /\bBun\b/.test(blankSource(file.text)) || file.imports.some(isBunModule));
  expect(callers.map((file) => file.path)).toEqual([]);
});

test('the environment is read only in session/ and at the door', () => {
  const readers = files
    .filter((file) => !/^(?:session|commands)\//.test(file.path) && !doorFiles.includes(file.path))
    .filter((file) => /\bprocess\s*\.\s*env\b/.test(blankSource(file.text)));
  expect(readers.map((file) => file.path)).toEqual([]);
});

test('no file is so long that it answers more than one question', () => {
  const long = files.filter(({ text }) => text.split('\n').length > maxLines + 1);
  expect(long.map(({ path }) => path)).toEqual([]);
});

const maxLines = 330;

const limitsByOtherNames = /\bmost[A-Z]\w*|\bconst (?:longest|largest|deepest|widest)(?:[A-Z]\w*)? = [\d{]/g;

test('the judge of commands and its tables are loaded for the first command, not at the start', () => {
  expect(
    startedFiles().filter((path) => /^shell\/(?:judge|programs|rules|tables|walk)\//.test(path)),
  ).toEqual(['shell/tables/shell-builtins.data.ts']);
});

test('zod is not loaded at the start: a quarter of its time and 8 MB went there', () => {
  const started = new Set(startedFiles());
  const users = files
    .filter(({ path }) => started.has(path))
    .filter(({ text }) => /^import (?!type )[^;]*from 'zod'/m.test(text));
  expect(users.map(({ path }) => path)).toEqual([]);
});

/** What `cadre -p` loads at once, before it knows what the run needs. */
function startedFiles(): string[] {
  return listLoaded(files, [
    'cli.ts',
    'commands/main.ts',
    'headless/run-headless.ts',
    'headless/run-prompt.ts',
  ]);
}

test('of packages, only those for the command line and for changed lines are loaded at the start', () => {
  const started = new Set(startedFiles());
  const packages = files
    .filter(({ path }) => started.has(path))
    .flatMap(({ text }) => [
      ...text.matchAll(/^import (?!type )(?:[^;']*? from )?'((?!node:)[a-z@][^']*)'/gm),
    ])
    .filter(([statement]) => !/^import \{(?:\s*type [^,}]+,?)+\s*\}/.test(statement));
  expect([...new Set(packages.map(([, name]) => name))]).toEqual(['commander', 'diff']);
});

/** What grows here is paid at every start: load what few runs need with `await import`, then raise the limits if you must. */
const maxStarted = { files: 680, bytes: 2_700_000 };

test('a run of one turn loads no more of our own files than it did', () => {
  const started = new Set(startedFiles());
  const loaded = files.filter(({ path }) => started.has(path));
  expect(loaded.length).toBeLessThanOrEqual(maxStarted.files);
  expect(loaded.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(maxStarted.bytes);
});

/** The runtime loads the streams of Node with the first of them, which takes a sixth of a start. */
const opensStreams: Readonly<Record<string, string>> = {
  'cli.ts': 'without -p, and for what was not foreseen',
  'commands/program.ts': 'when help is shown',
  'headless/process-io.ts': 'when something is written or read',
  'headless/process-terminal.ts': 'at a terminal',
  'lib/is-terminal.ts': 'where there may be a terminal',
};

test('what is loaded at the start opens no standard stream before something is written', () => {
  const started = new Set(startedFiles());
  const users = files
    .filter(({ path }) => started.has(path))
    .filter(({ text }) => /\bprocess\s*\.\s*(?:stdin|stdout|stderr)\b/.test(blankSource(text)));
  expect(users.map(({ path }) => path)).toEqual(Object.keys(opensStreams));
});

/** Each of them takes the runtime longer to load than a twentieth of a start. */
const slowModules =
  /from '(node:(?:crypto|util|timers\/promises|http|https|net|stream|tls|tty|zlib|worker_threads))'/g;

test('no module of the runtime that is slow to load is loaded at the start', () => {
  const started = new Set(startedFiles());
  const slow = files
    .filter(({ path }) => started.has(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(slowModules)]
        .filter((match) => !isTypeImport(text, match.index))
        .map(([, name]) => `${path}: ${name}`),
    );
  expect(slow).toEqual([]);
});

function isTypeImport(text: string, end: number): boolean {
  return text.lastIndexOf('import type', end) > text.lastIndexOf('import {', end);
}

test('limits are named maxX', () => {
  const others = files.flatMap(({ path, text }) =>
    [...blankSource(text).matchAll(limitsByOtherNames)].map(([name]) => `${path}: ${name}`),
  );
  expect(others).toEqual([]);
});

/** Files that may use calls of `node:fs` that take a path, and why that is no path of an agent's. */
const opensByName: Readonly<Record<string, string>> = {
  'tools/files/put-file.ts': 'in a directory that it holds',
  'tools/files/near-names.ts': 'in a directory that it holds',
  'tools/search/search-hits.ts': 'through a descriptor',
  'tools/search/ripgrep.ts': 'the program itself',
  'tools/bash/release-pipes.ts': 'pipes that it neither reads nor writes',
  'tools/bash/directory.ts': 'a file of our own',
  'tools/bash/output.ts': 'a file of our own',
  'tools/bash/confined-shell.ts': 'what the sandbox names',
  'knowledge/dream-files.ts': 'a directory of our own',
  'knowledge/memory-file.ts': 'where a path leads',
  'agents/report-file.ts': 'a file of our own',
  'hooks/run-command.ts': 'whether a directory exists',
  'loop/foresee.ts': 'whether a file exists',
  'modes/subscribe-pr.ts': 'a file of our own',
  'landing/blocked.ts': 'whether a checkout exists',
  'landing/moving/byte-path.ts': 'a link, as git has it',
  'landing/candidates.ts': 'whether a worktree exists',
  'landing/checkouts.ts': 'whether a worktree exists',
  'landing/moving/forward.ts': 'whether a worktree exists',
  'landing/moving/in-the-way.ts': 'names only',
  'landing/moving/index-lock.ts': "git's lock",
  'landing/moving/journal.ts': 'a file of our own',
  'landing/moving/place.ts': 'in a directory that it holds',
  'landing/moving/recover.ts': 'whether a worktree exists',
  'landing/moving/replace.ts': "git's index",
  'landing/sealed-store.ts': 'a directory of our own, and in one that it holds',
  'landing/moving/settle.ts': "git's index",
  'landing/moving/stage.ts': 'a directory of our own',
};

/** Rooms in which a path of an agent's may be opened. */
const opening = /^(?:tools|knowledge|agents|loop|modes|tasks|hooks|landing)\//;

test('rooms that open judged paths do so by lib/files/open-real.ts, and open nothing by its name', () => {
  const byDescriptor = /^(?:type \w+|constants|\w*closeSync|f\w+Sync|readSync|writeSync|readFileSync)$/;
  const openers = files
    .filter(({ path }) => opening.test(path))
    .filter(({ text }) =>
      [...text.matchAll(/import \{([^}]*)\} from 'node:fs(?:\/promises)?'/g)]
        .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
        .some((name) => name !== '' && !byDescriptor.test(name)),
    )
    .map(({ path }) => path);
  expect(openers.filter((path) => !(path in opensByName))).toEqual([]);
  // Whole files are read from descriptors only.
  const readers = files.filter(({ path, text }) => {
    const named = [...text.matchAll(/\breadFileSync\(([\w.]+)/g)].map(([, argument = '']) => argument);
    return opening.test(path) && named.some((argument) => !/descriptor$/i.test(argument));
  });
  expect(readers.map(({ path }) => path).filter((path) => !(path in opensByName))).toEqual([]);
});

/** Files that read in another way than by lib/files/read-bounded.ts, and why that cannot wait or be endless. */
const readsPlainly: Readonly<Record<string, string>> = {
  'landing/sealed-store.ts': 'files of our own',
  'landing/moving/stage.ts': 'files of our own',
  'models/transport.ts': 'certificates that the user names, which may come by a pipe',
  'sandbox/bwrap/bwrap.ts': 'opens /usr',
  'sandbox/guard/copy-out.ts': 'regular files that a command made, opened without waiting',
  'sandbox/bwrap/prove.ts': 'a file of our own, and of the system',
  'sandbox/root-notice.ts': 'files of the system',
  'sandbox/bwrap/self-test.ts': 'files of our own',
  'sandbox/bwrap/system-view.ts': 'files of the system',
  'sandbox/temporary.ts': 'makes a file',
  'sandbox/bwrap/verify-mounts.ts': 'a file of the system',
  'store/files/kept-bytes.ts': 'files of our own',
  'store/files/present-file.ts': 'descriptors of regular files, from lib/files/open-real.ts',
  'store/snapshot/inspect.ts': 'descriptors of regular files, from lib/files/open-real.ts',
  'store/snapshot/journal.ts': 'files of our own, opened without waiting',
  'store/snapshot/pack.ts': 'files of our own, opened without waiting',
  'workspace/copy-held.ts': 'descriptors of regular files, from lib/files/open-real.ts',
};

/** Every call that opens a file to read it, by whatever name it was imported. */
const readingCalls =
  /\b(?:readFileSync|readFile|openSync|open|createReadStream|cpSync|cp|copyFileSync|copyFile|openAsBlob|promises)\b/;

test('rooms that read repositories or our own directory do so by lib/files/read-bounded.ts alone', () => {
  const readers = files
    .filter(({ path }) =>
      /^(?:workspace|store|settings|places|shell|sandbox|permissions|models|mcp|landing)\//.test(path),
    )
    .filter(({ text }) => importsReading(text))
    .map(({ path }) => path);
  expect(readers.toSorted()).toEqual(Object.keys(readsPlainly).toSorted());
});

test('a call that reads is seen however it is imported', () => {
  for (const text of [
    "import { readFileSync } from 'node:fs';",
    "import { type Stats, readFileSync as look } from 'node:fs';",
    "import { readFile } from 'node:fs/promises';",
    "import * as fs from 'node:fs';",
    "import fs from 'fs';",
    "const { statSync } = await import('node:fs');",
    "import { promises } from 'node:fs';",
    "export { openSync } from 'node:fs';",
    'import {\n  lstatSync,\n  readFileSync,\n} from "node:fs";',
    "import { openSync } from '../../lib/files/exact-files.ts';",
  ])
    expect([text, importsReading(text)]).toEqual([text, true]);
  expect(importsReading("import { lstatSync, type Stats } from 'node:fs';")).toBe(false);
});

/** A whole module, or what is loaded later, may be any of it. */
function importsReading(text: string): boolean {
  const modules = [
    ...text.matchAll(
      /\b(import|export)\b([^;'"]*?)['"](?:(?:node:)?fs(?:\/promises)?|[./]*lib\/files\/exact-files\.ts)['"]/g,
    ),
  ];
  return modules.some(([, , names = '']) => {
    const listed = /^\s*\{([^}]*)\}\s*from\s*$/.exec(names)?.[1];
    return listed === undefined ? !/^\s*type\b/.test(names) : readingCalls.test(listed);
  });
}

/** Interfaces that may have more members than others: they are what a file or a command line says. */
const formats = ['AgentDefinition', 'Flags', 'LoadedSettings', 'MemberRecord', 'WorktreeRecord'];

test('no interface carries everything: at most 20 members, but for formats', () => {
  const large = files.flatMap(({ path, text }) =>
    [...text.matchAll(/\binterface (\w+)[^{]*\{\n([\s\S]*?)\n\}/g)]
      .filter(([, name = '']) => !formats.includes(name))
      .filter(([, , body = '']) => (body.match(/^ {2}(?:readonly )?\w+\??[(:<]/gm) ?? []).length > 20)
      .map(([, name]) => `${path}: ${name}`),
  );
  expect(large).toEqual([]);
});

/** The sandbox's guard, and what it finds git's places by. A name that is not valid UTF-8 must not get lost there. */
const guards =
  /^(?:sandbox\/.*|places\/(?:command-(?:files|look)|git-runs|git-scopes|protected-names)|workspace\/(?:git\/(?:walk|directory|main-root)|settled-places|real-path))(?:\.ts)?$/;

/** Calls of `node:fs` in it that take a path all the same, and why no name gets lost. */
const losesNoName: Readonly<Record<string, string>> = {
  'sandbox/guard/journal.ts utimesSync': 'a file of our own',
  'sandbox/bwrap/prove.ts readFileSync': 'a file of our own, and of the system',
  'sandbox/bwrap/proxy.ts mkdtempSync': 'a directory of our own',
  'sandbox/root-notice.ts existsSync': 'files of the system',
  'sandbox/root-notice.ts readFileSync': 'files of the system',
  'sandbox/bwrap/system-view.ts readFileSync': 'files of the system',
  'sandbox/bwrap/verify-mounts.ts readFileSync': 'a file of the system',
  'workspace/real-path.ts lstatSync': 'with an encoded path',
};

test('the guard of the sandbox names files by lib/files/exact-files.ts and lib/files/exact-paths.ts alone', () => {
  const losing = files
    .filter(({ path }) => guards.test(path))
    .flatMap(({ path, text }) => namesLostBy(text).map((name) => `${path} ${name}`));
  expect(losing.toSorted()).toEqual(Object.keys(losesNoName).toSorted());
});

test('a call that would lose a name is seen however it is imported', () => {
  expect(namesLostBy("import { type Dirent, readdirSync } from 'node:fs';")).toEqual(['readdirSync']);
  expect(namesLostBy("import * as fs from 'node:fs';")).toEqual(['*']);
  expect(namesLostBy("import { delimiter, join } from 'node:path';")).toEqual(['join']);
  expect(namesLostBy("const { join } = await import('path');")).toEqual(['*']);
  expect(namesLostBy("import { readdir } from 'node:fs/promises';")).toEqual(['readdir']);
  expect(namesLostBy("import type { Stats } from 'node:fs';")).toEqual([]);
});

/** `*` where it may be any. */
function namesLostBy(text: string): string[] {
  const keeping =
    /^(?:type \w+|constants|closeSync|fstatSync|ftruncateSync|readSync|writeSync|delimiter|isAbsolute|sep)$/;
  const modules = text.matchAll(/\b(?:import|export)\b([^;'"]*?)['"](?:node:)?(?:fs|fs\/promises|path)['"]/g);
  return [...modules].flatMap(([, names = '']) => {
    if (/^\s*type\b/.test(names)) return [];
    const listed = /^\s*\{([^}]*)\}\s*from\s*$/.exec(names)?.[1];
    if (listed === undefined) return ['*'];
    return listed
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !keeping.test(name));
  });
}

test('a higher room is refused to a lower one, by file and import', () => {
  const walls = findBrokenWalls([fileOf('lib/a.ts', '../loop/query.ts'), fileOf('loop/query.ts')]);
  expect(walls).toHaveLength(1);
  expect(walls[0]).toContain("src/lib/a.ts imports '../loop/query.ts'");
});

test('one surface is refused to another', () => {
  const walls = findBrokenWalls([fileOf('tui/a.ts', '../headless/b.ts'), fileOf('headless/b.ts')]);
  expect(walls).toHaveLength(1);
});

test('a file outside every room is refused', () => {
  expect(findBrokenWalls([fileOf('misc/a.ts'), fileOf('helpers.ts')])).toHaveLength(2);
});

test('a circle is found across several files', () => {
  const circle = [fileOf('lib/a.ts', './b.ts'), fileOf('lib/b.ts', './c.ts'), fileOf('lib/c.ts', './a.ts')];
  expect(findKnots([...circle, fileOf('lib/d.ts', './a.ts')])).toEqual([
    ['lib/a.ts', 'lib/b.ts', 'lib/c.ts'],
  ]);
});

test('every way to name a module is seen, and none that is only text', () => {
  const source = `
    import './side.ts';
    import type { A } from "./type.ts";
    import b, { type C } from './mixed.ts';
    export * as d from './all.ts';
    export {
      e,
    } from './many.ts';
    const f = await import('./lazy.ts');
    type G = import('./inline.ts').G;
    // import x from './comment.ts';
    const text = \`import y from './template.ts' \${await import('./inside.ts')} import('./after.ts')\`;
    const pattern = /import z from '.\\/pattern.ts'/;
    const quoted = "import('./quoted.ts')";
  `;
  expect(importsOf(source).sort()).toEqual(
    ['all', 'inline', 'inside', 'lazy', 'many', 'mixed', 'side', 'type'].map((name) => `./${name}.ts`),
  );
});

function fileOf(path: string, ...specifiers: string[]): SourceFile {
  const room = path.slice(0, path.indexOf('/') + 1);
  const imports = specifiers.map((specifier) => ({
    specifier,
    target: specifier.startsWith('../') ? specifier.slice(3) : room + specifier.slice(2),
  }));
  return { path, text: '', imports };
}

function isBunModule({ specifier }: { specifier: string }): boolean {
  return specifier === 'bun' || specifier.startsWith('bun:');
}
