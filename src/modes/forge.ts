import type { Clock } from '../lib/clock.ts';
import { spawnOwned } from '../lib/processes/process.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { git } from '../workspace/git/git.ts';
import { findOwnProgram } from '../workspace/search-path.ts';
import { type PullRequest, readGithub, readGitlab } from './pull-request.ts';

export interface NewPullRequest {
  /** The branch it comes from, and the one that it is for. */
  head: string;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
}

/** A forge's own command line, which has the user's credentials: agents only read through it. */
export interface Forge {
  readonly program: 'gh' | 'glab';
  /** The repository of this directory, OWNER/NAME, from its `origin`; undefined where that is not a known forge. */
  readonly own: string | undefined;
  look(repository: string, number: number, signal: AbortSignal): Promise<Result<PullRequest>>;
  /** Whether the user has logged in to the forge of this directory. */
  checkLogin(signal: AbortSignal): Promise<Result<void>>;
  /** Opens a pull request there, on the user's word, and returns what the program said: its address. */
  open(request: NewPullRequest, signal: AbortSignal): Promise<Result<string>>;
}

export interface ForgeNeeds {
  environment: Readonly<Record<string, string>>;
  root: string;
  userHome: string;
  /** The directory it runs in: never the repository, whose configuration it would read. */
  home: string;
  isRepository: boolean;
  /** The owner of its processes. */
  owner: string;
  clock: Clock;
}

/** The forge of this directory; undefined where no command line for one is installed outside the repository. */
export async function openForge(needs: ForgeNeeds): Promise<Forge | undefined> {
  const environment = { ...needs.environment, HOME: needs.userHome };
  const programs = {
    gh: findOwnProgram('gh', environment, needs.root),
    glab: findOwnProgram('glab', environment, needs.root),
  };
  if (!programs.gh && !programs.glab) return undefined;
  const origin = needs.isRepository ? await findOrigin(needs) : undefined;
  const isGitlab =
    programs.gh === undefined || (programs.glab !== undefined && /gitlab/i.test(origin?.host ?? ''));
  const program = isGitlab ? 'glab' : 'gh';
  const { file = program, path = '' } = programs[program] ?? {};
  const ask = (args: readonly string[], signal: AbortSignal) => run({ ...needs, path, file, args, signal });
  const host = origin?.host;
  return {
    program,
    own: origin?.repository,
    look: (repository, number, signal) =>
      isGitlab
        ? lookAtGitlab((args) => ask(args, signal), host, repository, number)
        : lookAtGithub((args) => ask(args, signal), host, repository, number),
    async checkLogin(signal) {
      const at = host === undefined ? [] : ['--hostname', host];
      const said = await ask(['auth', 'status', ...at], signal);
      if (said.ok) return ok(undefined);
      return usage(
        `${program} is not logged in to ${host ?? 'the forge'}: ${said.problem.message}`,
        `${program} auth login`,
      );
    },
    open: (request, signal) =>
      ask(isGitlab ? askGitlab(request, origin) : askGithub(request, origin), signal),
  };
}

type Origin = { host: string; repository: string } | undefined;

function askGithub({ head, base, title, body, isDraft }: NewPullRequest, origin: Origin): string[] {
  const where = origin ? [`--repo=${origin.host}/${origin.repository}`] : [];
  const what = [`--head=${head}`, `--base=${base}`, `--title=${title}`, `--body=${body}`];
  return ['pr', 'create', ...where, ...what, ...(isDraft ? ['--draft'] : [])];
}

function askGitlab({ head, base, title, body, isDraft }: NewPullRequest, origin: Origin): string[] {
  const where = origin ? [`--repo=https://${origin.host}/${origin.repository}`] : [];
  const what = [
    `--source-branch=${head}`,
    `--target-branch=${base}`,
    `--title=${title}`,
    `--description=${body}`,
  ];
  return ['mr', 'create', '--yes', ...where, ...what, ...(isDraft ? ['--draft'] : [])];
}

type Ask = (args: readonly string[]) => Promise<Result<string>>;

async function lookAtGithub(
  ask: Ask,
  host: string | undefined,
  repository: string,
  number: number,
): Promise<Result<PullRequest>> {
  const where = host === undefined || host === 'github.com' ? repository : `${host}/${repository}`;
  const fields = 'title,state,url,reviews,comments,statusCheckRollup';
  const said = await ask(['pr', 'view', String(number), '--repo', where, '--json', fields]);
  return said.ok ? readGithub(said.value) : said;
}

async function lookAtGitlab(
  ask: Ask,
  host: string | undefined,
  repository: string,
  number: number,
): Promise<Result<PullRequest>> {
  const at = `projects/${encodeURIComponent(repository)}/merge_requests/${number}`;
  const from = host === undefined ? [] : ['--hostname', host];
  const request = await ask(['api', ...from, at]);
  if (!request.ok) return request;
  const notes = await ask(['api', ...from, `${at}/notes?per_page=100`]);
  return notes.ok ? readGitlab(request.value, notes.value) : notes;
}

/** `OWNER/NAME`, with groups above it where the forge has those. No host: it is always the one of this directory. */
export function isRepositoryName(text: string): boolean {
  const parts = text.split('/');
  const isPart = (part: string) => /^[A-Za-z0-9_][\w.-]{0,99}$/.test(part) && !part.includes('..');
  return parts.length >= 2 && parts.length <= 10 && parts.every(isPart);
}

async function findOrigin({
  root,
  environment,
  clock,
}: ForgeNeeds): Promise<{ host: string; repository: string } | undefined> {
  const args = ['config', '--get', 'remote.origin.url'];
  const said = await git(args, { cwd: root, env: { ...environment }, clock, alsoGood: [1] });
  return said.ok ? readOrigin(said.value.trim()) : undefined;
}

/** `https://host/owner/name.git`, `ssh://git@host:22/owner/name`, `git@host:owner/name.git`. */
export function readOrigin(url: string): { host: string; repository: string } | undefined {
  const long = /^(?:https?|ssh|git):\/\/(?:[^@/]+@)?([A-Za-z0-9.-]+)(?::\d+)?\/(.+)$/.exec(url);
  const [, host, rest] = long ?? /^(?:[\w.-]+@)?([A-Za-z0-9.-]+):(.+)$/.exec(url) ?? [];
  if (host === undefined || rest === undefined || host.startsWith('-')) return undefined;
  const repository = rest.replace(/\/+$/, '').replace(/\.git$/, '');
  return isRepositoryName(repository) ? { host: host.toLowerCase(), repository } : undefined;
}

const timeoutMs = 30_000;
const maxOutput = 4 * 1024 * 1024;

interface Run extends ForgeNeeds {
  path: string;
  file: string;
  args: readonly string[];
  signal: AbortSignal;
}

async function run({
  path,
  file,
  args,
  environment,
  home,
  owner,
  clock,
  signal,
}: Run): Promise<Result<string>> {
  const pieces: Uint8Array[] = [];
  const errors: Uint8Array[] = [];
  let size = 0;
  const child = spawnOwned({
    file,
    args,
    cwd: home,
    owner,
    clock,
    signal,
    timeoutMs,
    env: { ...pickPassed(environment), PATH: path, ...quiet },
    output: (chunk) => {
      size += chunk.length;
      if (size <= maxOutput) pieces.push(chunk);
      else child.kill();
    },
    errorOutput: (chunk) => {
      if (errors.length < 100) errors.push(chunk);
    },
  });
  const end = await child.ended;
  if (end.problem) return failure(end.problem);
  if (size > maxOutput) return failure(`${file} printed more than ${maxOutput} bytes.`);
  if (end.timedOut) return failure(`${file} did not answer within ${timeoutMs / 1000} s.`);
  if (end.killed) return failure(`${file} was interrupted.`);
  if (end.code === 0) return ok(Buffer.concat(pieces).toString('utf8'));
  const said = visibleLine(Buffer.concat(errors).toString('utf8').trim(), 500);
  return failure(`${file} ended with ${end.code ?? end.signal}${said ? `: ${said}` : ''}`);
}

/** It needs the user's login and the proxy settings; it gets nothing else from the environment. */
const passed: readonly string[] = [
  ...['HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR'],
  ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_CONFIG_DIR'],
  ...['GITLAB_TOKEN', 'GLAB_CONFIG_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

const quiet = {
  NO_COLOR: '1',
  TERM: 'dumb',
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  NO_PROMPT: '1',
};

function pickPassed(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    passed.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
