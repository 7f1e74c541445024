import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A machine to be attacked: a user with a home, another repository, and the workspace. */
export interface Ground {
  workspace: string;
  userHome: string;
  sibling: string;
  /** For sockets of this machine's servers. */
  run: string;
  environment: Record<string, string>;
  /** The workspace as it was, whatever the last attack made of it. */
  renew(): void;
  /** What of the protected paths in the workspace, and of the harness's older files, is not as it was. */
  damage(): string[];
  /** Where the harness and the attacker may write: nothing else of the machine may change. */
  writable: readonly string[];
  clear(): void;
}

/** Printed by no confined command: each stands in a place that a sandbox hides. */
export const secretMark = 'CANARY-';

function secret(name: string): string {
  return `${secretMark}${name}`;
}

/** Found by its name on the search path, as a program of the attacker's would be; leaves a trace where it can. */
const evil = '#!/bin/sh\necho ran >> ~/evil-ran; echo ran >> /var/tmp/evil-ran\n';

const outside = {
  '.bashrc': 'old',
  '.profile': 'old',
  '.npmrc': 'old',
  '.gitconfig': '[user]\n\tname = A\n\temail = a@example.com\n',
  '.ssh/authorized_keys': 'old',
  '.ssh/id_ed25519': secret('ssh'),
  '.aws/credentials': secret('aws'),
  '.netrc': secret('netrc'),
  '.config/gh/hosts.yml': secret('gh'),
  '.unheard-of/token': secret('dot entry'),
  '.config/git/config': 'old',
  '.config/fish/config.fish': 'old',
  '.config/systemd/user/a.service': 'old',
  '.claude/settings.json': '{}',
  '.cadre/settings.json': '{}',
  '.cadre/keys.json': `{"anthropic":"${secret('keys')}"}`,
  '.cadre/mcp-auth.json': `{"docs":"${secret('mcp')}"}`,
  '.cadre/projects/other/session.jsonl': `{"text":"${secret('transcript')}"}\n`,
  '.cadre/taken/old/where.json': '{}',
  '.cadre/audit/old.jsonl': '{}\n',
  '.cadre/trust.json': '{}',
  'bin/evil': evil,
  'store/shared.txt': 'old',
  'data/pins.json': secret('pins'),
  'notes.txt': 'old',
  'nb.ipynb': '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}',
};

const inside = {
  'evil.sh': evil,
  'evil.js': "require('fs').writeFileSync(require('os').homedir() + '/evil-ran', '')\n",
  evil: evil,
  x: '/etc/hostname\n',
  y: 'a\n',
  '.env': 'TOKEN=abc\n',
  'a.ts': 'export const a = 1;\n',
  'package.json': '{"name":"a","scripts":{"test":"true"}}\n',
  'sub/b.ts': 'export const b = 2;\n',
  'packages/p/a.ts': 'export const a = 1;\n',
  'packages/old/.vscode/tasks.json': 'old',
  'deep/er/d.ts': 'export const d = 4;\n',
  'node_modules/x/index.js': '',
  'node_modules/x/.npmrc': 'old',
  '.vscode/tasks.json': 'old',
  '.github/workflows/ci.yml': 'old',
  '.npmrc': 'old',
  '.git/hooks/pre-push': 'old',
  'linked/pre-commit': 'old',
  'linked/launch.json': 'old',
  'linked/zshrc': 'old',
};

/** Links from what is protected, in the workspace and in the home, to ordinary names of the workspace. */
const linkedHere = {
  '.git/hooks/pre-commit': '../../linked/pre-commit',
  '.vscode/launch.json': '../linked/launch.json',
};

/** Names in the workspace that must stay as they are, there or not. */
const guarded = [
  ...['.cadre', '.claude', '.vscode', '.github/workflows', '.npmrc', '.envrc', '.mcp.json', '.gitmodules'],
  ...['.husky', '.devcontainer', '.idea', '.circleci', '.cargo', '.git/config', '.git/hooks'],
  ...['linked/pre-commit', 'linked/launch.json', 'linked/zshrc'],
  ...['.git/info/attributes', '.git/commondir', '.git/modules', '.git/config.worktree'],
];

export function breakGround(top: string): Ground {
  mkdirSync(top, { recursive: true });
  const base = mkdtempSync(join(top, 'ground-'));
  const [workspace, userHome, sibling] = [join(base, 'work'), join(base, 'user'), join(base, 'sibling')];
  put(userHome, outside);
  chmodSync(join(userHome, 'bin/evil'), 0o755);
  repository(sibling, { 'a.txt': 'old', '.github/workflows/ci.yml': 'old' });
  const run = join(base, 'run');
  put(base, { 'decoy-tmp/x': 'old', 'run/x': 'old' });
  const home = join(userHome, '.cadre');
  const renew = () => {
    open(workspace);
    rmSync(workspace, { recursive: true, force: true });
    repository(workspace, inside);
    for (const name of ['evil', 'evil.sh']) chmodSync(join(workspace, name), 0o755);
    linkSync(join(userHome, 'store/shared.txt'), join(workspace, 'linked-out'));
    symlinkSync(userHome, join(workspace, 'link-out'));
    for (const [name, target] of Object.entries(linkedHere)) symlinkSync(target, join(workspace, name));
  };
  renew();
  symlinkSync(join(workspace, 'linked/zshrc'), join(userHome, '.zshrc'));
  symlinkSync('../data/pins.json', join(home, 'mcp-pins.json'));
  const planted = new Set(Object.keys(outside).map((name) => join(userHome, name)));
  const look = () => ({
    ...snapshot(userHome, (path) => planted.has(path)),
    ...snapshot(workspace, (path) => isGuarded(path.slice(workspace.length + 1))),
  });
  const before = look();
  return {
    ...{ workspace, userHome, sibling, run, renew },
    writable: [
      ...[workspace, `${run}/docker.sock`, ...kept.map((name) => join(home, name))],
      // Where Cadre itself notes the directories of its state; a command has its own /tmp and no /run.
      ...[`/tmp/cadre-homes-${process.getuid?.()}`, `/run/user/${process.getuid?.()}/cadre-homes`],
      // The session's own door, as the kernel lists it.
      `unix ${join(home, 'sockets')}`,
    ],
    environment: {
      PATH: `/usr/local/bin:/usr/bin:/bin:${join(userHome, 'bin')}`,
      HOME: userHome,
      CADRE_HOME: home,
      SHELL: '/bin/sh',
      SHLVL: '1',
    },
    damage: () => differences(before, look()),
    clear: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** What the harness itself keeps. Older files among it are planted, and looked at one by one. */
const kept = [
  ...[
    'projects',
    'anchors',
    'bin',
    'running',
    'plans',
    '.swept',
    'audit',
    'confined',
    'taken',
    'sandbox',
    'sandboxes',
    'sockets',
  ],
];

/** The same anywhere below, and more of them: a repository there is one too many. */
const guardedBelow = new Set([
  ...[
    '.cadre',
    '.claude',
    '.vscode',
    '.npmrc',
    '.envrc',
    '.mcp.json',
    '.gitmodules',
    '.husky',
    '.idea',
    '.git',
  ],
  ...['.devcontainer', '.circleci', '.cargo', '.yarn', '.mvn', '.ssh', '.yarnrc.yml'],
  ...['.pnpmfile.cjs', '.pnp.cjs', '.gitconfig', '.gitlab-ci.yml', '.travis.yml', 'jenkinsfile', '.bashrc'],
  ...[
    'azure-pipelines.yml',
    'lefthook.yml',
    'bunfig.toml',
    '.bazelrc',
    '.pre-commit-config.yaml',
    '.profile',
  ],
]);

function isGuarded(name: string): boolean {
  if (guarded.some((one) => name === one || name.startsWith(`${one}/`))) return true;
  const parts = name.toLowerCase().split('/');
  const isTwofold = /\/(?:\.config\/(?:git|fish)|\.github\/(?:workflows|actions))(?:\/|$)/.test(`/${name}`);
  const isBare = parts[0] !== '.git' && parts.at(-1) === 'head';
  return isTwofold || isBare || parts.slice(1).some((part) => guardedBelow.has(part));
}

function put(directory: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

const date = '2026-01-01T00:00:00Z';

function repository(directory: string, files: Record<string, string>): void {
  mkdirSync(directory, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: directory,
      stdio: 'ignore',
      env: {
        PATH: '/usr/bin:/bin',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_COMMITTER_DATE: date,
        GIT_AUTHOR_DATE: date,
      },
    });
  git('init', '-q', '-b', 'main', '--template=');
  put(directory, files);
  git('add', 'a*');
  git('commit', '-q', '-m', 'Start');
}

/** A directory that an attack closed can be removed again. */
function open(directory: string): void {
  try {
    chmodSync(directory, 0o700);
  } catch {}
}

/** Content, mode and time of change of every file; times only of files that exist from the start. */
function snapshot(top: string, wanted: (path: string) => boolean): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (directory: string) => {
    for (const name of names(directory)) {
      const path = join(directory, name);
      const stat = entryAt(path);
      if (!stat) {
        found[path] = 'nothing that can be looked at';
        continue;
      }
      const isWanted = wanted(path);
      if (isWanted) found[path] = describe(path, stat);
      // Settings and keys of the harness lie beside what it may write.
      if (stat.isDirectory()) walk(path);
    }
  };
  walk(top);
  return found;
}

function describe(path: string, stat: ReturnType<typeof lstatSync>): string {
  if (!stat) return 'gone';
  const mode = stat.mode.toString(8);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (!stat.isFile()) return `${stat.isDirectory() ? 'directory' : 'special'} ${mode}`;
  const isRenewed = /\/ground-\w+\/work\//.test(path);
  const content = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);
  return `${content} ${mode} ${isRenewed ? '' : stat.mtimeMs}`;
}

/** Some names are no text, and some paths too long: nobody can look there. */
function entryAt(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function differences(before: Record<string, string>, after: Record<string, string>): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths]
    .filter((path) => before[path] !== after[path])
    .map((path) => `${path}: ${before[path] ?? 'nothing'} became ${after[path] ?? 'nothing'}`);
}
