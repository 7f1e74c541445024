import { visibleLine } from '../lib/text/text.ts';
import type { SandboxTerms } from '../protocol/sandbox.ts';
import { isWithin } from '../workspace/paths.ts';
import { findAgentWorktree } from './checkouts-around.ts';
import { privatePath } from './temporary.ts';

/** Messages of programs when a file system is read-only, a permission is missing or a host is unreachable. */
const signs = [
  /read-only file system|permission denied|operation not permitted/i,
  /network is unreachable|connection refused|no route to host/i,
  /could not resolve|name resolution|name or service not known|nodename nor servname/i,
  /\b(?:EROFS|EACCES|EPERM|ENETUNREACH|ECONNREFUSED|EAI_AGAIN|ENOTFOUND)\b/,
  /\bFailed to connect\b|\bbwrap: |refused by the sandbox|response 403/i,
  /log files were not written due to an error/i,
];

const readOnlySign = /read-only file system|\bEROFS\b/i;

/** Messages when a mounted file, such as a protected one, is to be replaced. */
const busySigns = [/resource busy|\bEBUSY\b/i, /could not (?:set|unset) '[^'\s]+\.[^'\s]+'/];

/** Git exits with success although it failed. */
const gitSign = /could not write config file .*resource busy/i;

/** Messages that hardly any output contains unless something was refused: they have no other cause on this machine. */
const plainSigns = [
  /read-only file system|network is unreachable|could not resolve host|temporary failure in name resolution/i,
  /\b(?:EROFS|ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|refused by the sandbox/,
  /log files were not written due to an error/i,
  ...busySigns,
];

/**
 * Whether a line that succeeded may hide that a command in it was refused something, as `npm publish | tail` does: the exit
 * code is that of the last one. The shell gets the line after a prefix that records its directory.
 */
export function hidesRefusal(command: string, output: string, userHome: string): boolean {
  if (gitSign.test(output) && /\bgit\b/.test(command)) return true;
  const line = command.replace(/^trap -- .*? EXIT; /s, '');
  return (
    /[|;&\n]/.test(line) && (plainSigns.some((sign) => sign.test(output)) || missesDotEntry(output, userHome))
  );
}

/** Files that exist for everyone else. */
const missing = /no such file or directory|ENOENT|cannot find|not found/i;

function missesDotEntry(output: string, userHome: string): boolean {
  return output.split('\n').some((line) => line.includes(`${userHome}/.`) && missing.test(line));
}

/** The line of a failed command's output that shows the refusal. */
export function refusedLine(output: string): string | undefined {
  return output
    .slice(-20_000)
    .split('\n')
    .findLast((line) => [...signs, ...busySigns].some((sign) => sign.test(line)))
    ?.trim();
}

/** Whether the sandbox could not be built, or a program misses what it is loaded with. */
export function isNotStarted(output: string): boolean {
  return /^bwrap: (?:execvp|Can't) |error while loading shared libraries/m.test(output);
}

/** A command that has ended. */
export interface EndedCommand {
  readonly output: string;
  /** As the shell got it. */
  readonly command: string;
  readonly code?: number | null | undefined;
  /** Read-only paths in the workspace that its output says it could not write. */
  readonly closed: readonly string[];
}

/** Explanation for a command that failed and may have been refused something; undefined where nothing points to it. */
export function explainRefusal(
  { output, command, code, closed }: EndedCommand,
  { roots, userHome }: { roots: readonly string[]; userHome: string },
  terms: Pick<SandboxTerms, 'network' | 'outside'>,
): string | undefined {
  const isHidden = missing.test(output) && output.includes(`${userHome}/.`);
  const isMissing = isHidden || (missing.test(output) && output.includes(`${privatePath}/`));
  const isBusy = busySigns.some((sign) => sign.test(output));
  const isOwnLoopback = isRefusedByLoopback(output, command, code);
  if (!isMissing && !isBusy && !isOwnLoopback && !signs.some((sign) => sign.test(output))) return undefined;
  const next = terms.outside
    ? '. If it needs more, call it again with dangerouslyDisableSandbox'
    : ', and nothing may run outside it';
  if (isOwnLoopback && !isMissing && !isBusy && closed.length === 0)
    return `It ran in a sandbox, where each command has its own loopback: a server that another command started cannot be reached, not even one in the background. Start the server and query it in one command${next}`;
  if (closed.length > 0 && isOnlyWriting(output))
    return `It ran in a sandbox, where ${nameClosed(closed)}${next}`;
  const writable = [roots.map((root) => visibleLine(root, 300)).join(', '), `its own ${privatePath}`]
    .filter((part) => part !== '')
    .join(' and ');
  // A path from the root that is protected would be named.
  const mayBeProtected = output
    .split('\n')
    .some((line) => readOnlySign.test(line) && !/(?:^|[\s'"])\//.test(line.replace(/^\S+: /, '')));
  const isWriting = isBusy || mayBeProtected;
  const protectedThere = isWriting ? ' protected paths there, such as .git/config, are read-only,' : '';
  const kept = closed.length > 0 ? ` ${nameClosed(closed)},` : protectedThere;
  const home = isHidden ? ' only toolchains among the dotfiles in the home directory exist inside,' : '';
  const network = terms.network ? 'only the listed hosts can be reached' : 'there is no network';
  const inside = wayOut.find(({ sign }) => sign.test(output))?.way ?? explainGitLock(output, roots);
  return `It ran in a sandbox: only ${writable} can be written,${kept}${home} ${network}${inside}${next}`;
}

/** Whether nothing but writing was refused. */
function isOnlyWriting(output: string): boolean {
  const lines = output.split('\n').filter((line) => signs.some((sign) => sign.test(line)));
  return lines.every((line) => readOnlySign.test(line));
}

const maxNamed = 10;

/** The command's output chooses them. */
function nameClosed(closed: readonly string[]): string {
  const named = closed.slice(0, maxNamed).map((path) => visibleLine(path, 300));
  const more = closed.length > maxNamed ? ` and ${closed.length - maxNamed} more` : '';
  return `${named.join(', ')}${more} ${closed.length === 1 ? 'is' : 'are'} protected and read-only`;
}

const loopback = /\blocalhost\b|\b127\.\d+\.\d+\.\d+\b|\[?::1\b|\b0\.0\.0\.0\b/i;
const refusedConnection = /connection refused|failed to connect|ECONNREFUSED|couldn't connect to server/i;

/** Exit codes of programs that may print nothing when a connection is refused. */
const silentCodes: readonly { readonly program: RegExp; readonly code: number }[] = [
  { program: /\bcurl\b/, code: 7 },
  { program: /\bwget\b/, code: 4 },
];

function isRefusedByLoopback(output: string, command: string, code: number | null | undefined): boolean {
  const isSilent = silentCodes.some((one) => one.code === code && one.program.test(command));
  if (loopback.test(command) && (isSilent || refusedConnection.test(output))) return true;
  return output.split('\n').some((line) => refusedConnection.test(line) && loopback.test(line));
}

/** Failures whose way out is known and better than to leave the sandbox. */
const wayOut: readonly { sign: RegExp; way: string }[] = [
  {
    sign: /npm (?:ERR!|error).*(?:\.npm\b|_cacache|cache|log files were not written)/i,
    way: '. npm works inside with a cache there: npm_config_cache=/tmp/npm',
  },
  {
    sign: /docker daemon|docker\.sock/i,
    way: '. Unix sockets are closed inside: the user can list docker in sandbox.excludedCommands',
  },
];

/** Where git could not lock one of its files: whose they are. */
function explainGitLock(output: string, roots: readonly string[]): string {
  const top = /Unable to create '(\/.*)\/\.git\/.*\.lock': Read-only file system/.exec(output)?.[1];
  if (top === undefined) return '';
  if (roots.some((root) => findAgentWorktree(root) !== undefined))
    return ". Of the repository's .git, git in this worktree writes the objects, the worktree's own data and its own branch: leave the rest to the user";
  return roots.some((root) => root !== top && isWithin(root, top))
    ? ". The repository's .git is above the workspace: the user can start Cadre in its top directory, or with --add-dir"
    : '';
}
