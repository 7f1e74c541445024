import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCeiling } from '../../src/permissions/ceiling.ts';
import { decide } from '../../src/permissions/decide.ts';
import { exploreRole } from '../../src/permissions/roles.ts';
import type { Decision } from '../../src/protocol/permission.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { bashTool } from '../../src/tools/bash/bash.ts';
import { neutralGitVariables } from '../../src/workspace/git/shell.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs } from '../support/index.ts';
import { call, type TestContext, toolContextForTests } from '../tools/support.ts';

const gitTest = needs('git');

const commands = [
  ...[
    'git status',
    'git status --short',
    'git diff --stat',
    'git log --stat',
    'git ls-files -m',
    'git ls-files',
  ],
  ...['git grep one', "git log --format='%h %s'", 'git describe --always', 'cd sub && git status'],
  ...['git diff --no-ext-diff --no-textconv', 'git diff HEAD --no-ext-diff --no-textconv'],
  ...['git log -p --no-textconv', 'git show --no-textconv', 'git show HEAD~1 --no-textconv'],
  ...[
    'git blame --no-textconv a.txt',
    'git show HEAD:a.txt',
    'git diff-files -p --ignore-submodules',
    'git shortlog -sn HEAD',
  ],
  ...['git log -p --no-textconv | head -5', "bash -c 'git status'"],
];

/** They would copy what they compare to temporary files, for a program that may not run, and fail. */
const comparing = [
  ...['git diff', 'git diff HEAD', 'git diff --no-textconv', 'git diff --no-index a.txt x', 'git diff -q'],
  ...['git log -p', 'git show', 'git show HEAD~1', 'git blame a.txt', 'git stash list -p', 'git log -G one'],
  ...['git log -p | head -5', 'for f in a.txt; do git blame "$f"; done', "bash -c 'git diff'"],
];

/** Without a stash there is nothing to show. */
const mayFail = /stash|sub|diff-files/;

gitTest('C2 what is allowed unasked runs nothing of a hostile repository, by the real shell', async () => {
  const context = toolContextForTests();
  const { flag, env } = hostileRepository(context);
  let canRun = 0;
  for (const command of commands) {
    const decision = judge(context.root, command);
    expect([command, decision.behaviour]).toEqual([command, 'allow']);
    const variables = await neutralGitVariables(decision.neutralise?.git ?? [], { env });
    const neutral = {
      ...context,
      shell: { ...context.shell, environment: async () => ({ ...env, ...variables }) },
    };
    const result = await call(bashTool, { command }, neutral);
    expect([command, existsSync(flag)]).toEqual([command, false]);
    if (!mayFail.test(command))
      expect([command, result.isError, result.text]).toEqual([command, false, result.text]);
    context.directory.move(context.root);

    // The same without: else the test would prove nothing.
    await call(
      bashTool,
      { command },
      { ...context, shell: { ...context.shell, environment: async () => env } },
    );
    if (existsSync(flag)) canRun++;
    rmSync(flag, { force: true });
    context.directory.move(context.root);
  }
  expect(canRun).toBeGreaterThan(commands.length / 2);
});

gitTest(
  'a repository that names a program to compare with is asked about, with the options that do without',
  () => {
    const context = toolContextForTests();
    hostileRepository(context);
    for (const command of comparing) {
      const { behaviour, reason } = judge(context.root, command);
      expect([command, behaviour]).toEqual([command, 'ask']);
      expect(reason).toMatch(/name a program to compare files with \(diff\..*--no-/);
    }
  },
);

function judge(root: string, command: string): Decision {
  const workspace = {
    ...{ cwd: root, directories: [], home: '/nonexistent/.cadre', userHome: '/nonexistent' },
    ...{ realPath: resolveRealPath, look: lookAtFiles([root]) },
  };
  const accesses = [{ kind: 'shell' as const, command, cwd: root }];
  return decide(openCeiling, exploreRole, 'default', [], { tool: 'Bash', accesses, workspace });
}

gitTest('an ordinary repository shows the same as ever', async () => {
  const context = toolContextForTests();
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', CADRE_OWNER: 'test-plain' };
  execFileSync('git', ['init', '-q'], { cwd: context.root });
  context.write('a.txt', 'one\n');
  execFileSync('git', ['add', '.'], { cwd: context.root });
  context.write('a.txt', 'two\n');
  const variables = await neutralGitVariables([context.root], { env });
  const shell = { ...context.shell, environment: async () => ({ ...env, ...variables }) };
  const result = await call(bashTool, { command: 'git diff && git status --short' }, { ...context, shell });
  expect(result.text).toContain('-one\n+two');
  expect(result.text).toContain('AM a.txt');
});

/** Every setting by which looking at a repository runs a program, in the repository itself and in one below it. */
function hostileRepository(context: TestContext): { flag: string; env: Record<string, string> } {
  const { root } = context;
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', CADRE_OWNER: 'test-hostile' };
  const flag = join(root, '..', 'owned');
  const evil = join(root, '..', 'evil.sh');
  writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> ${flag}\ncat\n`, { mode: 0o755 });
  const git = (cwd: string, ...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args],
      { cwd, env, stdio: 'pipe' },
    );
  const fill = (directory: string) => {
    mkdirSync(directory, { recursive: true });
    git(directory, 'init', '-q');
    for (const [index, text] of ['one\n', 'two\n'].entries()) {
      writeFileSync(join(directory, 'a.txt'), text);
      git(directory, 'add', 'a.txt');
      git(directory, 'commit', '-qm', `commit ${index}`);
    }
  };
  const poison = (directory: string) => {
    appendFileSync(join(directory, '.git/config'), hostileConfig(evil));
    writeFileSync(join(directory, '.git/info/attributes'), '*.txt diff=evil filter=evil\n');
    mkdirSync(join(directory, '.git/hooks'), { recursive: true });
    for (const hook of ['post-index-change', 'post-checkout'])
      writeFileSync(join(directory, '.git/hooks', hook), `#!/bin/sh\necho hook >> ${flag}\n`, {
        mode: 0o755,
      });
    writeFileSync(join(directory, 'a.txt'), 'three\n');
  };
  fill(root);
  fill(join(root, 'sub'));
  git(root, '-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
  writeFileSync(join(root, '.gitmodules'), '[submodule "s"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n');
  git(root, 'add', '.gitmodules');
  git(root, 'commit', '-qm', 'submodule');
  signedCommit(root, git);
  poison(root);
  poison(join(root, 'sub'));
  appendFileSync(join(root, '.git/config'), '[submodule "s"]\n\tignore = none\n\tactive = true\n\turl = x\n');
  return { flag, env };
}

/** With a header that makes git look for a signature. */
function signedCommit(root: string, git: (cwd: string, ...args: string[]) => Buffer): void {
  const tree = git(root, 'rev-parse', 'HEAD^{tree}').toString().trim();
  const parent = git(root, 'rev-parse', 'HEAD').toString().trim();
  const lines = [
    `tree ${tree}`,
    `parent ${parent}`,
    'author a <a@b> 1700000000 +0000',
    'committer a <a@b> 1700000000 +0000',
  ];
  lines.push(
    'gpgsig -----BEGIN PGP SIGNATURE-----',
    ' ',
    ' AAAA',
    ' -----END PGP SIGNATURE-----',
    '',
    'signed',
    '',
  );
  const file = join(root, '.git', 'signed');
  writeFileSync(file, lines.join('\n'));
  const id = git(root, 'hash-object', '-t', 'commit', '-w', file).toString().trim();
  git(root, 'reset', '-q', '--soft', id);
}

function hostileConfig(evil: string): string {
  return `
[core]
\tfsmonitor = ${evil}
\tpager = ${evil}
\teditor = ${evil}
\tsshCommand = ${evil}
[diff]
\texternal = ${evil}
\tsubmodule = log
[status]
\tsubmoduleSummary = true
[diff "evil"]
\ttextconv = ${evil}
\tcommand = ${evil}
[filter "evil"]
\tclean = ${evil}
\tsmudge = ${evil}
\trequired = true
[filter "two"]
\tprocess = ${evil}
[log]
\tshowSignature = true
[gpg]
\tprogram = ${evil}
[pager]
\tlog = ${evil}
\tdiff = ${evil}
[interactive]
\tdiffFilter = ${evil}
[alias]
\tlook = !${evil}
[core]
\tgitProxy = ${evil}
\talternateRefsCommand = ${evil}
[merge "evil"]
\tdriver = ${evil}
[difftool "evil"]
\tcmd = ${evil}
[log]
\tdiffMerges = remerge
[uploadpack]
\tpackObjectsHook = ${evil}
[unheard]
\tof = ${evil}
`;
}
