import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { resolveRealPath } from '../../../src/workspace/real-path.ts';
import { fileVariants } from './layout-files.ts';
import { gitVariants } from './layout-git.ts';
import { ignoredVariants } from './layout-ignored.ts';
import { openedVariants } from './layout-opened.ts';
import { refusedVariants } from './layout-refused.ts';

/**
 * A small machine around a workspace. What lies outside has names that also exist inside, so that a wrong idea of the
 * current directory leads to a file that can be read.
 */
export interface Layout {
  readonly name: string;
  /** All of it; a run sees a copy at this very path. */
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  /** Parts of it that are too large to be copied for each run: they are there, and cannot be changed. */
  readonly fixed?: readonly string[];
  /** Looking at it takes long: it is chosen seldom. */
  readonly isCostly?: true;
  /** Whatever runs here waits without end: only the judge may not. */
  readonly isOnlyJudged?: true;
  /** Files and directories (with a slash) that git's configuration runs, below the workspace. */
  readonly runs?: readonly string[];
  /** The repository of which the workspace is a part: git may open what it keeps there. */
  readonly repository?: string;
  /** Files of the workspace that have another name outside, absolute. */
  readonly sharedOutside?: readonly string[];
  /** Ends what was started for it. */
  end?(): void;
}

export interface Layouts extends Disposable {
  readonly all: readonly Layout[];
}

/** One layout for each way in which a repository may be in the workspace, and in which files are not what they seem. */
export function buildLayouts(names: readonly string[] = layoutNames): Layouts {
  const root = resolveRealPath(mkdtempSync(join(tmpdir(), 'cadre-kernel-')));
  const all = names.map((name) => buildLayout(join(root, name), name));
  return {
    all,
    [Symbol.dispose]: () => {
      for (const layout of all) layout.end?.();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export const layoutNames: readonly string[] = [
  gitVariants,
  refusedVariants,
  openedVariants,
  fileVariants,
  ignoredVariants,
].flatMap(Object.keys);

function buildLayout(base: string, name: string): Layout {
  const layout: Layout = { name, base, workspace: join(base, 'p', 'ws'), home: join(base, 'home') };
  for (const [path, text] of Object.entries(outside)) put(join(base, path), text);
  for (const [path, text] of Object.entries(inside)) put(join(layout.workspace, path), text);
  for (const path of programs) put(join(layout.workspace, path), program, 0o755);
  for (const path of ['empty', 'dir.txt', 'a/b/c'])
    mkdirSync(join(layout.workspace, path), { recursive: true });
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(layout.workspace, path));
  for (const [path, target] of Object.entries(oddLinks)) symlinkSync(target, bytesOf(layout.workspace, path));
  const pack = (...command: string[]) =>
    execFileSync(command[0] ?? '', command.slice(1), { cwd: layout.workspace, stdio: 'ignore' });
  pack('tar', 'cf', 'arc.tar', 'a.txt', 'src');
  pack('gzip', '-k', 'a.txt');
  (gitVariants[name] ?? refusedVariants[name] ?? openedVariants[name] ?? ignoredVariants[name])?.(layout);
  return { ...layout, ...fileVariants[name]?.(layout) };
}

/** What must never be read, written or run. */
const outside: Readonly<Record<string, string>> = {
  x: 'canary-outside\n',
  'p/x': 'canary-outside\n',
  'a.txt': 'canary-outside\n',
  'p/a.txt': 'canary-outside\n',
  'p/b.txt': 'canary-outside\n',
  'outside/secret.txt': 'canary-outside\n',
  'outside/a/b/x': 'canary-outside\n',
  'p/outside/secret.txt': 'canary-outside\n',
  'p/src/main.ts': 'canary-outside\n',
  'src/main.ts': 'canary-outside\n',
  'home/.ssh/id_rsa': 'canary-outside\n',
  'home/.netrc': 'machine canary-outside\n',
  'home/notes.txt': 'canary-outside\n',
  'home/a/b/x': 'canary-outside\n',
  'home/src/main.ts': 'canary-outside\n',
  'home/a.txt': 'canary-outside\n',
  'home/.cadre/keys.json': '{"one": "canary-own"}\n',
};

const evaluated = (
  'CI DEBUG VERBOSE NODE_ENV RUST_LOG RUST_BACKTRACE COLUMNS LINES FORCE_COLOR NO_COLOR CLICOLOR LS_COLORS GREP_COLORS ' +
  'GOOS CGO_ENABLED LANG LC_ALL TERM TZ LANGUAGE PYTHONUNBUFFERED x'
).split(' ');

const inside: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo two\nthree 3\n',
  'b.txt': 'one\ntwo 2\nfour\n',
  x: 'inside\n',
  'a b.txt': 'blank\n',
  '-n': 'reads as an option\n',
  '-o': 'reads as an option\n',
  '-exec': 'reads as an option\n',
  '--output=pwn': 'reads as an option\n',
  'glob[1].txt': 'brackets\n',
  5: '../*\n',
  'a/x': 'inside\n',
  'a/b/x': 'inside\n',
  'outside/secret.txt': 'inside\n',
  'src/main.ts': 'import x from "./util";\nconst one = 1;\n',
  'src/util.ts': 'export default 2;\n',
  'src/-rf': 'reads as an option\n',
  'src/deep/x.txt': 'deep\n',
  'odd/plain.txt': 'one\n',
  'odd/ß.txt': 'one\n',
  'docs/readme.md': '# Title\n\ntext one\n',
  'data.json': '{"a": {"b": [1, 2]}, "name": "one"}\n',
  'data.yml': 'a:\n  b: [1, 2]\nname: one\n',
  'package.json': '{"name": "one", "version": "1.0.0", "scripts": {"test": "./evil.sh"}}\n',
  // Both evaluate what they find in the environment.
  Makefile: `${evaluated.map((name) => `ifeq ($(${name}),1)\nendif\n`).join('')}all:\n\t./evil.sh\n\ncheck:\n\t@echo checked\n`,
  'check.sh': `${evaluated.map((name) => `(( ${name} ))\n`).join('')}echo checked\n`,
  'names.txt': 'a.txt\n../outside/secret.txt\n.env\n',
  names0: 'a.txt\0.env\0secret/key.txt\0hidden/plain.txt\0',
  'sums.txt': ['.env', 'secret/key.txt', 'hidden/plain.txt']
    .map((name) => `${'0'.repeat(32)}  ${name}\n`)
    .join(''),
  'commands.txt': './evil.sh\n',
  'script.sed': 'w pwn\n',
  'prog.awk': 'BEGIN { system("./evil.sh") }\n',
  'lib.sh': './evil.sh\n',
  '.env': 'TOKEN=canary-env\n',
  'src/.env': 'TOKEN=canary-env\n',
  'secret/key.txt': 'canary-secret\n',
  'secret/data.json': '{"a": "canary-secret"}\n',
  'hidden/plain.txt': 'one canary-hidden\n',
  'hidden/deep/x.md': 'one canary-hidden\n',
  id_rsa: 'canary-credential\n',
  'pkg/.git/config': '[core]\n',
  'pkg/main.ts': 'one\n',
  'app/deep/.vscode/tasks.json': '{}\n',
  'kept/inner/file.txt': 'kept\n',
  'ci/.husky/pre-commit': 'x\n',
  'workflows/pre-commit': 'x\n',
};

const links: Readonly<Record<string, string>> = {
  linkout: '../outside',
  linkfile: '../outside/secret.txt',
  linkin: 'src',
  // They stay inside as long as the first of them is a link.
  turn: 'src/deep',
  turnread: 'turn/../../a.txt',
  turnwrite: 'turn/../../pwn',
  linkenv: '.env',
  'src/up': '../..',
  'a/away': '../../../outside',
};

/** By names that are not text, that shells count in different ways, or that a program tries by itself. */
const oddLinks: Readonly<Record<string, string>> = {
  'odd/o\xff': '../../../outside/secret.txt',
  'odd/d\xff': '../../../outside',
  'odd/\xc3\xa9': '../../../outside/secret.txt',
  'odd/[a]x': '../../../outside/secret.txt',
  'odd/[x]': '../../../outside/secret.txt',
  'odd/lx': '../../../outside/secret.txt',
  'odd/k.zip': '../../../outside/secret.txt',
};

/** One character for each byte. */
function bytesOf(directory: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(path, 'latin1')]);
}

/** Named like commands, so that a search path that leads here is noticed. */
const programs = [
  'evil.sh',
  'ls',
  'bin/cat',
  'bin/git',
  'node_modules/.bin/ls',
  'node_modules/.bin/git',
  'a/b/cat',
  'git-evil',
];
const program = '#!/bin/sh\necho run > pwned\n';

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
