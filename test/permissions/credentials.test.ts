import { expect, test } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { untold } from '../../src/lib/told.ts';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import type { PermissionContext } from '../../src/permissions/context.ts';
import { decide } from '../../src/permissions/decide.ts';
import { readFilter } from '../../src/permissions/read-filter.ts';
import { exploreRole, planRole } from '../../src/permissions/roles.ts';
import { credentialFiles } from '../../src/places/credentials.data.ts';
import { isCredential } from '../../src/places/credentials.ts';
import { emptyLook, type Look } from '../../src/places/look.ts';
import type { Role } from '../../src/places/types.ts';
import type { Decision, PermissionMode } from '../../src/protocol/permission.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { judge, linksOf, read, shell } from './cases.ts';
import { readCorpus } from './read-corpus.ts';

const gitTest = needs('git');
const content = 'hunter2-c0ntent';
const held = ['.env', 'conf/server.key', 'id_ed25519', 'secrets.yml', '.aws/credentials', 'prod.tfvars'];

/** A repository with files that hold credentials: kept by git, or ignored by it. */
function repository(isKept: boolean, names = held): string {
  const root = join(temporaryDirectory().path, 'repo');
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  for (const name of names) put(name, `DB_PASSWORD=${content}\n`);
  for (const name of ['notes.md', 'src/index.ts', 'other/a.ts', 'package.json']) put(name, '{"a": 1}\n');
  put('.env.example', 'DB_PASSWORD=\n');
  put('.gitignore', 'dist\n');
  symlinkSync('.env', join(root, 'link.txt'));
  if (names === held) symlinkSync('.aws', join(root, 'linkdir'));
  linkSync(join(root, '.env'), join(root, 'hard.txt'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
  git('init', '-q', '-b', 'main');
  if (!isKept) writeFileSync(join(root, '.git/info/exclude'), `${held.join('\n')}\n*.txt\nlinkdir\n`);
  git('add', '-A');
  git('commit', '-qm', 'one');
  writeFileSync(join(root, 'notes.md'), 'more\n');
  return root;
}

function contextFor(root: string, role: Role, mode: PermissionMode = 'default'): PermissionContext {
  return {
    ceiling: openCeiling,
    role,
    mode,
    rules: [],
    workspace: {
      cwd: root,
      directories: [],
      home: '/nonexistent/.cadre',
      userHome: '/nonexistent',
      realPath: resolveRealPath,
      look: lookAtFiles([root]),
    },
  };
}

function judgeShell(context: PermissionContext, command: string): Decision {
  const { ceiling, role, mode, rules, workspace } = context;
  const accesses = [{ kind: 'shell' as const, command, cwd: workspace.cwd }];
  return decide(ceiling, role, mode, rules, { tool: 'Bash', accesses, workspace });
}

const attacks = readCorpus('credentials.txt');
const telling = /hunter2|aHVudGVyM|server\.key|\.env(?!\.example)|id_ed25519|secrets\.yml|tfvars/;

for (const isKept of [true, false])
  gitTest(
    `HO5 of ${attacks.length} ways to credentials none shows one to Explore (${isKept ? 'kept by git' : 'ignored'})`,
    async () => {
      const root = repository(isKept);
      const context = contextFor(root, exploreRole);
      const open = attacks.filter((command) => judgeShell(context, command).behaviour === 'allow');
      // What is allowed is run: it must show neither content nor names, but those that stand in the command itself.
      const leaks = open.flatMap((command) => {
        const { stdout, stderr } = spawnSync('timeout', ['5', 'bash', '--norc', '-c', command], {
          cwd: root,
          encoding: 'utf8',
          input: '',
        });
        const found = telling.exec(stdout + stderr)?.[0];
        const isOwn = found !== undefined && found !== 'hunter2' && command.includes(found);
        return found === undefined || isOwn ? [] : [`${command} -> ${found}`];
      });
      expect(leaks).toEqual([]);
    },
  );

gitTest('nor in bypassPermissions, nor to Plan', async () => {
  const root = repository(true);
  const ways = [
    'cat .env',
    'cat link.txt',
    'cat hard.txt',
    'grep -r x .',
    'git show HEAD:.env',
    'git log -p',
  ];
  for (const context of [contextFor(root, exploreRole, 'bypassPermissions'), contextFor(root, planRole)])
    for (const command of ways)
      expect([command, judgeShell(context, command).behaviour]).toEqual([command, 'deny']);
});

gitTest('everyday commands beside an ignored .env run unasked under Explore', async () => {
  const context = contextFor(repository(false, ['.env']), exploreRole);
  const everyday = `
    ls
    ls -la src
    ls *.json
    cat package.json
    cat *.md
    head -5 src/*.ts
    wc -l src/*.ts
    find src -type f
    find . -name '*.ts'
    find . -type f -name '*.ts' -not -path './node_modules/*'
    find . \\( -name '*.ts' -o -name '*.tsx' \\) -type f | sort
    find . -name node_modules -prune -o -name '*.ts' -print
    find . -name '*.ts' | xargs grep -n foo
    find . -name '*.ts' -exec wc -l {} +
    grep -rn foo src
    grep -rn --include='*.ts' foo .
    rg -n foo src
    rg -g '*.ts' foo
    cat .env.example
    cat .gitignore
    echo *.md
    git status
    git diff
    git log -p -1
    git show
    git grep foo
    git ls-files
    git ls-files | xargs wc -l
    git show HEAD:src/index.ts
    git blame src/index.ts
    git log --oneline -5
    git diff --stat
    du -sh .
    for f in $(git ls-files '*.ts'); do wc -l $f; done
    for f in src/*.ts; do head -5 "$f"; done`;
  const refused = everyday
    .trim()
    .split('\n')
    .map((line) => ({ line: line.trim(), decision: judgeShell(context, line.trim()) }))
    .filter(({ decision }) => decision.behaviour !== 'allow');
  expect(refused.map(({ line, decision }) => `${line}: ${decision.reason}`)).toEqual([]);
});

gitTest('beside a kept one, git shows what is narrowed to other paths', async () => {
  const context = contextFor(repository(true), exploreRole);
  const narrowed = [
    'git log -p -- src',
    "git grep foo -- '*.ts'",
    'git diff -- notes.md',
    'git show HEAD -- src',
    'git log --stat',
  ];
  for (const command of narrowed)
    expect([command, judgeShell(context, command).behaviour]).toEqual([command, 'allow']);
  expect(judgeShell(context, 'git log -p').reason).toContain('credentials');
});

gitTest('a refusal tells no name that the agent did not know', async () => {
  const root = repository(true);
  const context = contextFor(root, exploreRole);
  for (const command of [
    'git log -p',
    'grep -r x .',
    'ls -a',
    'cat .e*',
    'find . -type f | xargs cat',
    'cat link.txt',
  ])
    expect([command, telling.exec(judgeShell(context, command).reason)]).toEqual([command, null]);
  expect(judgeShell(context, 'cat .env').reason).toContain('.env');
});

gitTest('no tool for files opens them, by name, link, second name or case', async () => {
  const root = repository(false);
  const { ceiling, role, mode, rules, workspace } = contextFor(root, exploreRole);
  const names = [...held, '.ENV', 'link.txt', 'hard.txt', 'linkdir', 'linkdir/credentials', '.aws'];
  for (const tool of ['Read', 'Grep', 'Glob', 'LSP'])
    for (const name of names) {
      const accesses = [{ kind: 'read' as const, path: join(root, name) }];
      const { behaviour } = decide(ceiling, role, mode, rules, { tool, accesses, workspace });
      expect([name, behaviour]).toEqual([name, 'deny']);
    }
});

gitTest('a search shows none of them to a research role, and their names alone to others', async () => {
  const root = repository(false);
  const closed = readFilter(contextFor(root, exploreRole), 'Glob');
  const open = (tool: string) => readFilter(contextFor(root, fullRole), tool);
  for (const name of [...held, 'hard.txt']) expect([name, closed(join(root, name))]).toEqual([name, false]);
  for (const name of ['.env.example', 'src/index.ts', 'notes.md'])
    expect([name, closed(join(root, name))]).toEqual([name, true]);
  expect([open('Grep')(join(root, '.env')), open('Glob')(join(root, '.env'))]).toEqual([false, true]);
});

const search = { kind: 'shell' as const, command: 'grep -r x .', cwd: '/repo' };

test('a tree that is too large to look through is refused to a research role, with advice', () => {
  const look: Look = { ...emptyLook, below: () => untold };
  const decision = judge({ accesses: [search], role: exploreRole, workspace: { look } });
  expect(decision).toMatchObject({ behaviour: 'deny', by: 'role' });
  expect(decision.reason).toContain('Use Grep or Glob');
});

test('without a look nothing is taken for granted', () => {
  const { look: _, ...blind } = contextFor('/repo', exploreRole).workspace;
  const call = { tool: 'Bash', accesses: [search], workspace: blind };
  expect(decide(openCeiling, exploreRole, 'default', [], call).behaviour).toBe('deny');
});

test('other roles are asked, unless a rule names the file; bypass asks about nothing', () => {
  const env = [read('/repo/.env')];
  expect(judge({ accesses: env })).toMatchObject({ behaviour: 'ask', by: 'protected-path' });
  expect(judge({ accesses: env, allow: ['Read'] }).behaviour).toBe('ask');
  expect(judge({ accesses: env, allow: ['Read(.env)'] }).behaviour).toBe('allow');
  expect(judge({ accesses: env, allow: ['Read(**)', 'Read(.env)'] }).behaviour).toBe('allow');
  expect(judge({ accesses: env, mode: 'bypassPermissions' }).behaviour).toBe('allow');
  const realPath = linksOf({ '/repo/a.txt': '/repo/.env' });
  expect(judge({ accesses: [read('/repo/a.txt')], workspace: { realPath } }).behaviour).toBe('ask');
  expect(judge({ accesses: [read('/repo/.env.example')] }).behaviour).toBe('allow');
});

test.each([
  ['Read(**)', '/repo/.env', 'ask'],
  ['Read(*)', '/repo/.env', 'ask'],
  ['Read(//repo/**)', '/repo/.env', 'ask'],
  ['Read(conf)', '/repo/conf/secrets.yml', 'ask'],
  ['Read(conf/*.yml)', '/repo/conf/secrets.yml', 'ask'],
  ['Read(//etc/**)', '/etc/shadow', 'ask'],
  ['Read(.env*)', '/repo/.env.production', 'allow'],
  ['Read(**/.env)', '/repo/conf/.env', 'allow'],
  ['Read(conf/secrets.yml)', '/repo/conf/secrets.yml', 'allow'],
  ['Read(*.pem)', '/repo/server.pem', 'allow'],
  ['Read(~/.ssh/**)', '/home/u/.ssh/id_rsa', 'allow'],
] as const)(
  '%s for %s: %s, since only a rule about such files lifts the question',
  (rule, path, expected) => {
    expect(judge({ accesses: [read(path)], allow: [rule] }).behaviour).toBe(expected);
  },
);

test('every entry of the list has a reason and matches what it is for; examples and public keys are open', () => {
  expect(credentialFiles.every(({ why, patterns }) => why.endsWith('.') && patterns.length > 0)).toBe(true);
  const closed =
    '/r/.env /r/.env.local /r/.ENV.Production /r/prod.env /r/.envrc /r/a/server.pem /r/tls.key /r/k.p12 /r/k.pfx ' +
    '/r/k.jks /r/k.keystore /h/.ssh/config /h/.ssh/known_hosts /r/id_rsa /r/id_ed25519_work /h/.gnupg/x /h/.netrc ' +
    '/r/.npmrc /h/.pypirc /h/.git-credentials /h/.aws/config /h/.kube/config /h/.docker/config.json /r/credentials.json ' +
    '/r/credentials-prod.json /r/client_secret_1.json /r/my-service-account.json /r/secrets.yml /r/secret.json ' +
    '/r/app.secrets.yaml /r/terraform.tfvars /r/x.auto.tfvars /r/terraform.tfstate /r/terraform.tfstate.backup ' +
    '/proc/self/environ /proc/1/environ /etc/shadow /h/.config/gcloud/x.db /h/.cargo/credentials.toml /run/secrets/db';
  expect(closed.split(' ').filter((path) => !isCredential(path))).toEqual([]);
  const open =
    '/r/.env.example /r/.env.sample /r/.env.template /r/.environment /r/env.ts /r/id_rsa.pub /r/secrets.ts ' +
    '/r/src/credentials.ts /r/keys.ts /r/.kube/cache /r/docker/config.json /r/turkey /r/config.json /r/ssh/x ' +
    '/r/credentials.example.json /r/secrets.example.yaml /etc/passwd /r/.gitignore /r/package.json';
  expect(open.split(' ').filter(isCredential)).toEqual([]);
});

test('a credential file that a git command names is closed to Explore, whatever else is seen of the repository', () => {
  const explore = (command: string) =>
    judge({ accesses: [shell(command)], role: exploreRole, workspace: { look: emptyLook } }).behaviour;
  for (const line of [
    'git show HEAD:.env',
    'git show HEAD:src/id_rsa',
    'git log -p -- .env',
    'git blame .env',
  ])
    expect([line, explore(line)]).toEqual([line, 'deny']);
  expect(explore('git show HEAD:src/main.ts')).toBe('allow');
});
