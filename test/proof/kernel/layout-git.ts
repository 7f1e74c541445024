import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Layout } from './layout.ts';

type Variant = (layout: Layout) => void;

/** Every way that is known to us in which a repository makes git run a program or look somewhere else. */
export const gitVariants: Record<string, Variant> = {
  plain: () => {},
  clean: (layout) => commitAll(layout.workspace),
  programs: ({ workspace }) => {
    commitAll(workspace);
    configure(workspace, hostile);
    dirty(workspace);
  },
  /** The nearest repository is one that git passes over, and the next one has its files elsewhere. */
  'passed-over': ({ workspace, base }) => {
    commitAll(workspace);
    for (const below of ['src', 'a/b', 'docs'])
      mkdirSync(join(workspace, below, '.git', 'refs'), { recursive: true });
    writeFileSync(join(workspace, 'src', '.git', 'HEAD'), 'garbage\n');
    configure(
      workspace,
      `[core]\n\tworktree = ${join(base, 'p')}\n[blame]\n\tignoreRevsFile = ../outside/secret.txt\n`,
    );
  },
  /** Git finds it, and acts as if there were none. */
  'not-used': ({ workspace }) => {
    commitAll(workspace);
    configure(workspace, '[core]\n\trepositoryformatversion = 99\n');
  },
  /** Names of references that a program would take for options. */
  dashed: ({ workspace }) => {
    commitAll(workspace);
    for (const name of ['tags/--output=pwn', 'heads/--output=pwn', 'tags/-p'])
      git(workspace, 'update-ref', `refs/${name}`, 'HEAD');
    writeFileSync(join(workspace, '.git', 'HEAD'), 'ref: refs/heads/--output=pwn\n');
  },
  include: ({ workspace }) => {
    commitAll(workspace);
    writeFileSync(join(workspace, 'settings.inc'), hostile);
    configure(
      workspace,
      '[include]\n\tpath = ../settings.inc\n[includeIf "gitdir:**"]\n\tpath = ../settings.inc\n',
    );
    dirty(workspace);
  },
  worktree: ({ workspace }) => {
    commitAll(workspace);
    configure(workspace, '[core]\n\tworktree = ../../../home\n');
  },
  'worktree-config': ({ workspace }) => {
    commitAll(workspace);
    configure(workspace, '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n');
    writeFileSync(
      join(workspace, '.git', 'config.worktree'),
      `${hostile}[core]\n\tworktree = ../../../home\n`,
    );
    dirty(workspace);
  },
  submodule: ({ workspace }) => {
    const inner = join(workspace, 'sub');
    mkdirSync(inner);
    writeFileSync(join(inner, 'x.txt'), 'sub\n');
    commitAll(inner);
    writeFileSync(join(workspace, '.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
    commitAll(workspace);
    configure(workspace, '[submodule "sub"]\n\turl = ./sub\n\tactive = true\n');
    configure(inner, hostile);
    dirty(inner);
  },
  'submodule-kept': ({ workspace }) => {
    const inner = join(workspace, 'sub');
    mkdirSync(inner);
    writeFileSync(join(inner, 'x.txt'), 'sub\n');
    commitAll(inner);
    writeFileSync(join(workspace, '.gitmodules'), '[submodule "s"]\n\tpath = sub\n\tignore = none\n');
    commitAll(workspace);
    // Only the last commit still says that git is to look into it.
    git(workspace, 'rm', '-q', '-f', '.gitmodules');
    configure(inner, hostile);
    dirty(inner);
  },
  // Nothing names it, so no setting keeps git out of it.
  'submodule-unnamed': ({ workspace }) => {
    const inner = join(workspace, 'sub');
    mkdirSync(inner);
    writeFileSync(join(inner, 'x.txt'), 'sub\n');
    commitAll(inner);
    commitAll(workspace);
    configure(inner, hostile);
    dirty(inner);
  },
  bytes: ({ workspace }) => {
    commitAll(workspace);
    const named = hostile.replaceAll('"evil"', '"\xff"');
    appendFileSync(join(workspace, '.git', 'config'), Buffer.from(named, 'latin1'));
    dirty(workspace, Buffer.from(attributes.replaceAll('=evil', '=\xff'), 'latin1'));
  },
  bare: ({ workspace }) => {
    git(workspace, 'init', '-q', '--bare', 'planted');
    git(workspace, 'init', '-q', '--bare', 'src/deep');
    for (const path of ['planted', 'src/deep'])
      appendFileSync(join(workspace, path, 'config'), `${hostile}[core]\n\tbare = false\n\tworktree = ..\n`);
  },
  /** Bare repositories as plain files of a clone, with hooks of their own. */
  'bare-kept': ({ workspace }) => {
    for (const path of ['planted', 'src/deep.git']) {
      git(workspace, 'init', '-q', '--bare', path);
      appendFileSync(
        join(workspace, path, 'config'),
        `${hostile}[core]\n\thooksPath = hooks\n\tbare = false\n\tworktree = ${path.includes('/') ? '../..' : '..'}\n`,
      );
      for (const hook of ['pre-receive', 'update', 'post-receive'])
        cpSync(join(workspace, 'evil.sh'), join(workspace, path, 'hooks', hook));
    }
    commitAll(workspace);
    git(workspace, 'remote', 'add', 'near', './planted');
  },
  /** Such repositories are on another branch than the one that is checked out. */
  brought: ({ workspace }) => {
    gitVariants['bare-kept']?.({ name: '', base: '', home: '', workspace });
    // Git keeps no empty directory.
    for (const path of ['planted', 'src/deep.git'])
      for (const empty of ['objects', 'refs']) writeFileSync(join(workspace, path, empty, '.keep'), '');
    git(workspace, 'add', '-A');
    git(workspace, ...author, 'commit', '-q', '-m', 'third');
    git(workspace, 'branch', 'plain', 'HEAD');
    git(workspace, 'remote', 'remove', 'near');
    git(workspace, 'config', 'user.name', 'a');
    git(workspace, 'config', 'user.email', 'a@b');
    git(workspace, 'symbolic-ref', 'HEAD', 'refs/heads/plain');
    git(workspace, 'rm', '-rq', '--', 'planted', 'src/deep.git');
    for (const path of ['planted', 'src/deep.git'])
      rmSync(join(workspace, path), { recursive: true, force: true });
    git(workspace, ...author, 'commit', '-q', '-m', 'without');
  },
  'git-file': ({ workspace }) => {
    commitAll(workspace);
    renameSync(join(workspace, '.git'), join(workspace, 'meta'));
    writeFileSync(join(workspace, '.git'), 'gitdir: meta\n');
    appendFileSync(join(workspace, 'meta', 'config'), hostile);
    dirty(workspace);
  },
  alternates: ({ workspace, base }) => {
    commitAll(workspace);
    cpSync(join(workspace, '.git', 'objects'), join(base, 'outside', 'objects'), { recursive: true });
    writeFileSync(
      join(workspace, '.git', 'objects', 'info', 'alternates'),
      `${join(base, 'outside', 'objects')}\n`,
    );
    configure(workspace, '[core]\n\talternateRefsCommand = ./evil.sh\n');
  },
  promisor: ({ workspace }) => {
    commitAll(workspace);
    configure(
      workspace,
      '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ext::./evil.sh\n\tpromisor = true\n\tuploadpack = ./evil.sh\n',
    );
    git(workspace, 'update-ref', 'refs/heads/lost', 'HEAD');
    execFileSync('sh', ['-c', 'rm -f .git/objects/$(git rev-parse HEAD:b.txt | sed "s,..,&/,")'], {
      cwd: workspace,
    });
  },
  signed: ({ workspace }) => {
    commitAll(workspace);
    configure(
      workspace,
      '[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ./evil.sh\n[gpg "ssh"]\n\tprogram = ./evil.sh\n',
    );
    const tree = git(workspace, 'rev-parse', 'HEAD^{tree}').trim();
    const signed = `tree ${tree}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\nsigned\n`;
    const commit = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd: workspace,
      input: signed,
    })
      .toString()
      .trim();
    git(workspace, 'update-ref', 'HEAD', commit);
  },
};

/** Places in git's data that no command writes here, so that a link there stays what it is. */
const linkedData: Readonly<Record<string, readonly string[]>> = {
  'links-state': [
    ...['rebase-merge/head-name', 'rebase-merge/onto', 'rebase-merge/done', 'rebase-merge/git-rebase-todo'],
    ...['MERGE_MSG', 'BISECT_LOG', 'rebase-apply/next', 'sequencer/todo'],
  ],
  'links-references': [
    ...[
      'refs/heads/x',
      'refs/tags/deep/v2',
      'refs/remotes/origin/main',
      'refs/notes/commits',
      'branches/origin',
    ],
    ...['remotes/one', 'worktrees/w/gitdir', 'worktrees/w/HEAD', 'worktrees/w/logs/HEAD', 'FETCH_HEAD'],
  ],
  'links-logs': ['logs/refs/heads/main', 'logs/refs/stash', 'info/exclude', 'info/attributes', 'shallow'],
  'links-objects': ['objects/info/packs', 'objects/info/commit-graph', 'objects/pack/multi-pack-index'],
};

for (const [name, places] of Object.entries(linkedData))
  gitVariants[name] = (layout) => {
    commitAll(layout.workspace);
    for (const place of places) linkData(layout, place);
    if (name === 'links-state')
      writeFileSync(join(layout.workspace, '.git', 'rebase-merge', 'interactive'), '');
    dirty(layout.workspace);
  };

function linkData({ base, workspace }: Layout, place: string): void {
  const path = join(workspace, '.git', place);
  rmSync(path, { force: true, recursive: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(base, 'outside', 'secret.txt'), path);
}

/** Each setting that names a program, with the attributes that make git use it. */
export const hostile = `[core]
	fsmonitor = ./evil.sh
	hooksPath = .
	pager = ./evil.sh
	editor = ./evil.sh
	askPass = ./evil.sh
	sshCommand = ./evil.sh
	gitProxy = ./evil.sh
	attributesFile = attrs
[pager]
	log = ./evil.sh
	diff = ./evil.sh
[interactive]
	diffFilter = ./evil.sh
[credential]
	helper = !./evil.sh
[alias]
	log = !./evil.sh
	st = !./evil.sh
	evil = !./evil.sh
[diff]
	external = ./evil.sh
[diff "evil"]
	textconv = ./evil.sh
	command = ./evil.sh
[filter "evil"]
	clean = ./evil.sh
	smudge = ./evil.sh
	process = ./evil.sh
	required = true
[merge "evil"]
	driver = ./evil.sh
[gpg]
	program = ./evil.sh
[uploadpack]
	packObjectsHook = ./evil.sh
[trailer "evil"]
	command = ./evil.sh
	key = Evil
`;

export const attributes = '*.txt diff=evil filter=evil merge=evil\n*.ts diff=evil\n';

export function commitAll(directory: string): void {
  git(directory, 'init', '-q', '-b', 'main');
  writeFileSync(join(directory, '.gitignore'), 'node_modules\n');
  git(directory, 'add', '-A');
  git(directory, ...author, 'commit', '-q', '-m', 'first');
  appendFileSync(join(directory, '.gitignore'), 'empty\n');
  git(directory, ...author, 'commit', '-q', '-a', '-m', 'second');
  git(directory, 'tag', 'v1');
}

/** Changes make git look into files with filters and drivers. */
export function dirty(directory: string, uses: string | Buffer = attributes): void {
  writeFileSync(join(directory, '.gitattributes'), uses);
  writeFileSync(join(directory, 'attrs'), uses);
  for (const name of ['a.txt', 'src/main.ts', 'x.txt']) {
    try {
      appendFileSync(join(directory, name), 'changed\n');
    } catch {
      // Not every repository has all of them.
    }
  }
}

export function configure(directory: string, text: string): void {
  appendFileSync(join(directory, '.git', 'config'), text);
}

export const author = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];

export function git(cwd: string, ...args: string[]): string {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }).toString();
}
