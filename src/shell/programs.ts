import { basename, dirname, join } from 'node:path';
import { readBeginning } from '../lib/files/read-bounded.ts';
import { untold } from '../lib/told.ts';
import { listFolder } from '../places/entries.ts';
import { isWithin, splitPath } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import {
  createOutsideTest,
  findProgram,
  isProgram,
  isSystemPlace,
  isTrustedPlace,
} from '../workspace/search-path.ts';
import { findRoot } from '../workspace/workspace.ts';
import { shellBuiltins } from './tables/shell-builtins.data.ts';

/** Where commands find their programs. */
export interface Programs {
  /** The search path of commands. */
  readonly path: string;
  /** Whether that is all of it: the login shell may add to it. */
  readonly isWhole: boolean;
  readonly userHome: string;
}

/** The program that a name leads to on the search path. */
export type Program =
  | { readonly kind: 'missing' }
  | { readonly kind: 'itself'; readonly files: readonly string[] }
  /** A version manager reads files in the working directory and above, all of which are known. */
  | { readonly kind: 'chosen'; readonly files: readonly string[] }
  | { readonly kind: 'other'; readonly reason: string };

/**
 * Why a known name may run another program than the one of that name, in one of these directories of a workspace; none where
 * the directory is unknown. Version managers, proxies and wrappers put a small program in the place of each tool, and let
 * files of the working directory choose what it runs.
 */
export function describeOther(
  name: string,
  program: Program,
  { isWhole, userHome }: Programs,
  { directories, roots }: { directories: readonly string[]; roots: readonly string[] },
): string | undefined {
  if (program.kind === 'missing')
    return isWhole || shellBuiltins.has(name)
      ? undefined
      : `the location of ${name} is unknown until the login shell has answered`;
  if (program.kind === 'other') return program.reason;
  const isOutside = createOutsideTest(roots, userHome);
  const inside = program.files.find((file) => !isOutside(file));
  if (inside !== undefined) return `${name} runs ${inside}, which is in the workspace`;
  const isChosen = program.kind === 'chosen';
  const own = settingsFiles[basename(name)];
  if (!isChosen && own === undefined) return undefined;
  if (directories.length === 0)
    return isChosen
      ? `a version manager chooses which ${name} runs, in each directory`
      : `${name} reads settings from ${own} in the directory it runs in, which is unknown`;
  const find = (isMeant: (file: string) => boolean) =>
    [...new Set(directories.flatMap((directory) => [directory, resolveRealPath(directory)]))]
      .map((directory) => findAbove(directory, [...roots, findRoot(directory) ?? directory], isMeant))
      .find((one) => one !== undefined);
  const version = isChosen ? find((file) => isVersionFile(name, file)) : undefined;
  if (version !== undefined) return `a version manager lets ${version} choose which ${name} runs`;
  const settings = own === undefined ? undefined : find((file) => file.toLowerCase() === own);
  return settings === undefined
    ? undefined
    : `${name} takes settings from ${settings}, and may make the directories that it names`;
}

/** Files of a project that these read before anything else, even to tell their version. */
const settingsFiles: Readonly<Record<string, string>> = { npm: '.npmrc', npx: '.npmrc' };

/** Programs that others start by their names, through the search path: `yq` in Python, `tar` for what is compressed. */
const startedPrograms: Readonly<Record<string, readonly string[]>> = {
  ...{ diff3: ['diff'], egrep: ['grep'], fgrep: ['grep'], gunzip: ['gzip'], zcat: ['gzip'], yq: ['jq'] },
  tar: ['bzip2', 'compress', 'gzip', 'lzip', 'lzma', 'lzop', 'xz', 'zstd'],
};

/** By its bare name, or an absolute path. A program is no better than those that it starts. */
export function findKind(name: string, programs: Programs): Program {
  const found = findAlone(name, programs);
  if (found.kind === 'missing' || found.kind === 'other') return found;
  const { kind, files } = found;
  const all: { kind: typeof kind; files: readonly string[] } = { kind, files };
  for (const started of startedPrograms[basename(name)] ?? []) {
    const other = findAlone(started, programs);
    if (other.kind === 'missing') continue;
    if (other.kind === 'other')
      return { ...other, reason: `${basename(name)} starts ${started}, and ${other.reason}` };
    if (other.kind === 'chosen') all.kind = 'chosen';
    all.files = [...all.files, ...other.files];
  }
  return all;
}

function findAlone(name: string, programs: Programs): Program {
  const path = locate(name, programs.path);
  return path === undefined ? { kind: 'missing' } : tellKind(name, path, programs, 0);
}

function locate(name: string, searchPath: string): string | undefined {
  if (name.startsWith('/')) return isProgram(name) ? name : undefined;
  return name === '' || name.includes('/') ? undefined : findProgram(name, searchPath);
}

const maxInterpreters = 3;

/**
 * A program is accepted where the system keeps it, or where it is a program of exactly that name in a place that only this
 * user can write: not a link to another name, and not a shell script.
 */
function tellKind(called: string, path: string, programs: Programs, depth: number): Program {
  const name = basename(called);
  const real = resolveRealPath(path);
  const [place, target] = [resolveRealPath(dirname(path)), dirname(real)];
  const other = (what: string): Program => ({
    kind: 'other',
    reason: `${name} is ${path}, which is ${what}: it may run something else`,
  });
  if (!isTrustedPlace(place, programs.userHome) || !isTrustedPlace(target, programs.userHome, 'package'))
    return other('in a project, or in a place that other users can write');
  const head = readHead(real);
  const manager = findManager(path, real, head);
  if (manager === 'proxy')
    return other(real === path ? 'put there by a version manager' : `a link to ${real}`);
  const isSystem = isSystemPlace(place) && isSystemPlace(target);
  const interpreter = readInterpreter(head);
  if (!isSystem && !manager) {
    if (!hasName(name, basename(real))) return other(`a link to ${real}`);
    if (interpreter === undefined ? !isNative(head) : shells.test(basename(interpreter)))
      return other('a shell script');
  }
  const files = [real];
  const kind = manager ? 'chosen' : 'itself';
  if (interpreter === undefined) return { kind, files };
  const found = depth < maxInterpreters ? locate(interpreter, programs.path) : undefined;
  const run = found === undefined ? undefined : tellKind(interpreter, found, programs, depth + 1);
  if (!run || run.kind === 'missing') return other('a script with an unknown interpreter');
  if (run.kind === 'other') return run;
  return { kind: manager || run.kind === 'chosen' ? 'chosen' : 'itself', files: [...files, ...run.files] };
}

/**
 * `proxy`: reads files of which no list would be complete, or downloads what it runs. `files`: its script hands over to a
 * manager that reads only the files in the list below.
 */
function findManager(path: string, real: string, head: Buffer): 'proxy' | 'files' | undefined {
  const text = head.toString('latin1');
  if (text.startsWith('#!') && byFiles.test(text)) return 'files';
  const isProxy =
    basename(dirname(path)) === 'shims' ||
    proxies.has(basename(real)) ||
    splitPath(real).includes('corepack') ||
    (text.startsWith('#!') && handsOver.test(text));
  return isProxy ? 'proxy' : undefined;
}

/** Their scripts hand over to themselves within a few lines. */
const byFiles = /\b(?:asdf|pyenv|rbenv|nodenv|goenv|jenv|plenv|phpenv|luaenv)"?\s+exec\b/;
const handsOver = /\b(?:mise|rtx|volta|proto|aqua|direnv|hermit|corepack|[a-z]+env)"?\s+(?:exec|run|x)\b/;

const proxies: ReadonlySet<string> = new Set(
  (
    'asdf mise rtx volta volta-shim proto proto-shim aqua aqua-proxy fnm nodenv pyenv rbenv jenv goenv plenv phpenv luaenv hermit ' +
    'rustup rustup-init swiftly devbox flox direnv corepack'
  ).split(' '),
);

const headSize = 2048;

function readHead(path: string): Buffer {
  const beginning = readBeginning(path, headSize);
  return beginning.state === 'read' ? beginning.bytes : Buffer.alloc(0);
}

/** The program after `#!`: a path, or the name that `env` looks for. */
function readInterpreter(head: Buffer): string | undefined {
  const [, line] = /^#!([^\n]*)/.exec(head.toString('latin1')) ?? [];
  if (line === undefined) return undefined;
  const [program = '', ...words] = line.trim().split(/\s+/);
  if (basename(program) !== 'env') return program;
  return words.find((word) => !word.startsWith('-') && !word.includes('=')) ?? '';
}

const shells = /^(?:ba|da|a|z|k|mk|fi|tc|c)?sh$/;

/** On Linux and macOS. */
function isNative(head: Buffer): boolean {
  return /^(?:7f454c46|c[ef]faedfe|feedfac[ef]|cafebabe)/.test(head.subarray(0, 4).toString('hex'));
}

/** With its version, its platform or the suffix of its language: `python3.11`, `jq-linux-amd64`, `npm-cli.js`. */
function hasName(called: string, real: string): boolean {
  if (real === called || multiCall.has(real) || otherNames[called]?.includes(real)) return true;
  if (!real.startsWith(called)) return false;
  return /^(?:[-_.]?(?:v?\d[\d.]*|linux|darwin|macos|apple|unknown|gnu|musl|static|amd64|x86_64|x64|arm64|aarch64))*(?:-cli\.js|\.exe|\.pl|\.py|\.rb)?$/.test(
    real.slice(called.length),
  );
}

/** One program for all of these names, which does what its name says. */
const multiCall: ReadonlySet<string> = new Set(['busybox', 'toybox', 'coreutils']);

const otherNames: Readonly<Record<string, readonly string[]>> = {
  fd: ['fdfind'],
  awk: ['gawk', 'mawk', 'nawk', 'original-awk'],
  node: ['nodejs'],
  vim: ['nvim'],
};

/** The nearest file of this kind; those above the workspace and its repository are the user's own. */
function findAbove(
  directory: string,
  roots: readonly string[],
  isMeant: (file: string) => boolean,
): string | undefined {
  if (!roots.some((root) => isWithin(directory, root))) return undefined;
  const entries = listFolder({ path: directory });
  // A directory that cannot be listed may contain one.
  if (entries === untold) return directory;
  const found = entries.find((entry) => isMeant(entry.name));
  return found ? join(directory, found.name) : findAbove(dirname(directory), roots, isMeant);
}

function isVersionFile(name: string, file: string): boolean {
  return (
    /^\.(?:tool-versions|[a-z]+-version|nvmrc|sdkmanrc)$/.test(file) ||
    (isRuby.test(name) && file === 'Gemfile')
  );
}

const isRuby = /^(?:ruby|gem)$/;
