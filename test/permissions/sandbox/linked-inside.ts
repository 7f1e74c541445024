/** Workspaces in which links lead from what is protected or secret elsewhere, each tried from inside, as the user who calls. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { rule } from '../cases.ts';
import { held, put, type Ran, type Room, roomIn, run } from './support.ts';

/** A link, with the directories that it stands in. */
function link(at: string, target: string): void {
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(target, at);
}

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', args, { cwd, stdio: 'ignore' });
}

function initialize(directory: string): void {
  mkdirSync(directory, { recursive: true });
  git(directory, 'init', '-q', '-b', 'main', '.');
}

/** The files of the workspace that a command could append to. */
async function openToWrites(at: Room, names: readonly string[]): Promise<string[]> {
  await run(at, names.map((name) => `echo evil >> ${name}`).join('\n'));
  return names.filter((name) => readFileSync(join(at.cwd, name), 'utf8').includes('evil'));
}

/** Links in protected directories, into the workspace: hooks, tasks, workflows, settings; one to a file beside it. */
export async function writeBehindLinks(directory: string) {
  const at = roomIn(directory);
  initialize(at.cwd);
  const links = {
    '.git/hooks/pre-commit': ['../../scripts/commit.sh', 'scripts/commit.sh'],
    '.husky/pre-push': ['../scripts/push.sh', 'scripts/push.sh'],
    '.vscode/tasks.json': ['../editor/tasks.json', 'editor/tasks.json'],
    '.github/workflows/a.yml': ['../../ci/a.yml', 'ci/a.yml'],
    '.claude/settings.json': ['../settings/claude.json', 'settings/claude.json'],
    '.devcontainer/local/setup': ['../../container/setup', 'container/setup'],
    'packages/one/.vscode/tasks.json': ['../../../editor/one.json', 'editor/one.json'],
    '.zed': ['editor/zed', 'editor/zed/tasks.json'],
    'editor/zed/more.json': ['../more.json', 'editor/more.json'],
  } as const;
  const ordinary = ['scripts/ordinary.sh', 'editor/ordinary'];
  const files = [...Object.values(links).map(([, file]) => file), ...ordinary];
  put(at, Object.fromEntries(files.map((name) => [name, 'old\n'])));
  for (const [name, [target]] of Object.entries(links)) link(join(at.cwd, name), target);
  const { cwd } = at;
  mkdirSync(join(cwd, '.idea'));
  symlinkSync('..', join(cwd, '.idea/all'));
  return openToWrites(at, files);
}

/** Hooks in a directory that git's configuration names, of the repository and of the user, inside and outside. */
export async function writeBehindHooksPath(directory: string) {
  const at = roomIn(directory);
  initialize(at.cwd);
  git(at.cwd, 'config', 'core.hooksPath', 'tools/hooks');
  put(at, {
    'scripts/a.sh': 'old',
    'scripts/b.sh': 'old',
    'scripts/hard.sh': 'old',
    'scripts/free.sh': 'old',
  });
  link(join(at.cwd, 'tools/hooks/pre-commit'), '../../scripts/a.sh');
  linkSync(join(at.cwd, 'scripts/hard.sh'), join(at.cwd, 'tools/hooks/commit-msg'));
  writeFileSync(join(at.userHome, '.gitconfig'), '[init]\n\ttemplateDir = ~/template\n');
  link(join(at.userHome, 'template/hooks/pre-push'), join(at.cwd, 'scripts/b.sh'));
  return openToWrites(at, ['scripts/a.sh', 'scripts/b.sh', 'scripts/hard.sh', 'scripts/free.sh']);
}

/** The directory of hooks is a link, and a hook in it has another name. */
export async function writeHardLinkedHook(directory: string) {
  const at = roomIn(directory);
  initialize(at.cwd);
  put(at, { 'hooks/pre-commit': 'old', 'free/a': 'old' });
  execFileSync('rm', ['-rf', join(at.cwd, '.git/hooks')]);
  symlinkSync('../hooks', join(at.cwd, '.git/hooks'));
  mkdirSync(join(at.cwd, 'scripts'));
  linkSync(join(at.cwd, 'hooks/pre-commit'), join(at.cwd, 'scripts/hook.sh'));
  linkSync(join(at.cwd, 'free/a'), join(at.cwd, 'free/b'));
  return openToWrites(at, ['scripts/hook.sh', 'hooks/pre-commit', 'free/b']);
}

/** A workspace with the files that a user's home links to. */
export async function writeLinkedConfiguration(directory: string) {
  const at = roomIn(directory, {}, { ZDOTDIR: join(directory, 'user/zsh') });
  const files = [
    ...[
      'cadre/settings.json',
      'cadre/agents/a.md',
      'gitconfig',
      'gitconfig-work',
      'bashrc',
      'profile',
      'zshrc',
    ],
    ...['fish/config.fish', 'claude/settings.json', 'ssh-config', 'npmrc', 'zsh-env'],
  ];
  put(at, Object.fromEntries([...files, 'ordinary'].map((name) => [name, '# old\n'])));
  put(at, { 'cadre/settings.json': '{}', gitconfig: '[include]\n\tpath = ~/.gitconfig-work\n' });
  const { userHome: home } = at;
  link(join(home, '.cadre/settings.json'), '../../work/cadre/settings.json');
  link(join(home, '.cadre/agents'), '../../work/cadre/agents');
  link(join(home, '.gitconfig'), '../work/gitconfig');
  link(join(home, '.gitconfig-work'), '../work/gitconfig-work');
  for (const name of ['bashrc', 'profile', 'zshrc', 'npmrc']) link(join(home, `.${name}`), `../work/${name}`);
  link(join(home, '.config/fish'), '../../work/fish');
  link(join(home, '.claude/settings.json'), '../../work/claude/settings.json');
  link(join(home, '.ssh/config'), '../../work/ssh-config');
  link(join(home, 'zsh/.zshenv'), '../../work/zsh-env');
  return openToWrites(at, [...files, 'ordinary']);
}

interface Replaced {
  target: string;
  taken: string[];
  notes: string[];
}

/** What a link leads through, or to, is replaced: the link of a nested repository, one in the middle, a missing target. */
export async function replaceLinks(directory: string) {
  const at = roomIn(directory);
  const name = (path: string) => path.slice(at.cwd.length + 1);
  const tell = ({ notes }: Ran, path: string): Replaced => {
    const found = lstatSync(join(at.cwd, path), { throwIfNoEntry: false });
    const target = found?.isSymbolicLink()
      ? execFileSync('readlink', [join(at.cwd, path)], { encoding: 'utf8' }).trim()
      : found
        ? 'no link'
        : 'missing';
    return { target, taken: held(at).map(name), notes };
  };
  initialize(at.cwd);
  initialize(join(at.cwd, 'lib'));
  put(at, {
    'lib/scripts/hook': 'old',
    'real/tasks.json': 'old',
    'evil/tasks.json': 'evil',
    'evil/hook': 'evil',
  });
  git(join(at.cwd, 'lib'), 'config', 'core.hooksPath', 'scripts');
  mkdirSync(join(at.cwd, 'store'));
  execFileSync('mv', [join(at.cwd, 'lib/.git'), join(at.cwd, 'store/lib.git')]);
  symlinkSync('../store/lib.git', join(at.cwd, 'lib/.git'));
  symlinkSync('real', join(at.cwd, 'editor'));
  link(join(at.cwd, '.vscode/tasks.json'), '../editor/tasks.json');
  symlinkSync('../../later/hook', join(at.cwd, '.git/hooks/pre-commit'));
  const nested = tell(
    await run(
      at,
      'cp -r store/lib.git /tmp/evil; rm lib/.git; ln -s /tmp/evil lib/.git; echo evil > lib/scripts/hook',
    ),
    'lib/.git',
  );
  const middle = tell(await run(at, 'rm editor; ln -s evil editor'), 'editor');
  const missing = tell(
    await run(at, 'mkdir later; echo evil > later/hook; echo kept > later/other'),
    'later/hook',
  );
  const around = tell(await run(at, 'rm -r later; mv later x; ln -s evil later'), 'later');
  return {
    ...{ nested, middle, missing, around },
    hook: readFileSync(join(at.cwd, 'lib/scripts/hook'), 'utf8'),
    other: readFileSync(join(at.cwd, 'evil/hook'), 'utf8'),
  };
}

/** More protected directories than are mounted, each with a link; more links in one than are mounted; and one that dangles. */
export async function writeBehindMany(directory: string) {
  const at = roomIn(directory);
  const numbers = [...Array(40).keys()];
  const files = numbers.flatMap((number) => [`editor/${number}/tasks.json`, `scripts/hooks/${number}`]);
  put(at, Object.fromEntries([...files, 'other/free'].map((name) => [name, 'old\n'])));
  for (const number of numbers) {
    link(join(at.cwd, `packages/${number}/.vscode/tasks.json`), `../../../editor/${number}/tasks.json`);
    link(join(at.cwd, `.husky/${number}`), `../scripts/hooks/${number}`);
  }
  symlinkSync('missing', join(at.cwd, '.zed'));
  const { notes } = await run(at, 'mkdir missing; echo evil > missing/tasks.json');
  const isMade = notes.join().includes('missing') && !existsSync(join(at.cwd, 'missing'));
  return { open: await openToWrites(at, [...files, 'other/free']), isTaken: isMade };
}

/** Secrets of the harness and of the user that are links; printed by a program that names only the targets. */
export async function readLinkedSecrets(directory: string) {
  const at = roomIn(directory);
  const { userHome: home } = at;
  const secrets = {
    ...{ '.cadre/keys.json': 'keys', '.cadre/trust.json': 'trust', '.cadre/mcp-auth.json': 'mcp' },
    ...{ '.aws/credentials': 'aws', '.ssh/work_key': 'ssh', '.npmrc': 'npm', '.netrc': 'netrc' },
    ...{ '.cargo/credentials.toml': 'cargo', '.m2/settings.xml': 'maven' },
  };
  for (const [name, text] of Object.entries(secrets)) {
    const file = join(home, 'data', text);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `secret-${text}`);
    link(join(home, name), file);
  }
  writeFileSync(join(home, 'data', 'notes'), 'seen\n');
  writeFileSync(join(home, '.cadre', 'mcp-pins.json'), 'secret-pins');
  linkSync(join(home, '.cadre', 'mcp-pins.json'), join(at.cwd, 'pins'));
  put(at, { 'x.sh': 'cat ../user/data/* pins 2>/dev/null' });
  chmodSync(join(home, 'data'), 0o755);
  const texts = [await run(at, 'sh x.sh'), await run(at, 'sh x.sh', { scope: { writes: 'none' } })];
  return texts.map(({ text }) => text);
}

/** A rule about one name of a file, and about a link to a directory. */
export async function readDeniedByOtherName(directory: string) {
  const at = roomIn(directory);
  const outside = join(directory, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'key'), 'secret-outside');
  put(at, { 'hidden/key': 'secret-key', 'public/a': 'seen ', 'real/key': 'secret-real' });
  linkSync(join(at.cwd, 'hidden/key'), join(at.cwd, 'public/key'));
  linkSync(join(outside, 'key'), join(at.cwd, 'public/out'));
  linkSync(join(at.cwd, 'public/a'), join(at.cwd, 'public/b'));
  symlinkSync('real', join(at.cwd, 'led'));
  const rules = [
    ...[rule('Read(hidden/**)', 'deny', at.cwd), rule('Read(led/**)', 'deny', at.cwd)],
    rule(`Read(/${outside}/**)`, 'deny', at.cwd),
  ];
  const command = 'cat public/* real/* 2>/dev/null';
  const ran = [
    await run(at, command, { scope: { rules } }),
    await run(at, command, { scope: { rules, writes: 'none' } }),
  ];
  return ran.map(({ text }) => text);
}

/** By their names, for a process of its own. */
export const linked = {
  ...{ writeBehindLinks, writeBehindHooksPath, writeHardLinkedHook, writeLinkedConfiguration },
  ...{ writeBehindMany, replaceLinks, readLinkedSecrets, readDeniedByOtherName },
};
