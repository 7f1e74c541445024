import { describe, expect, test } from 'bun:test';
import { fullRole, narrowCeiling, openCeiling, planCeiling } from '../../src/permissions/ceiling.ts';
import type { Decision, PermissionMode } from '../../src/protocol/permission.ts';
import { type Case, judge, linksOf, read, rule, shell, write } from './cases.ts';

type Expected = `${Decision['behaviour']} ${Decision['by']}`;
const verdict = (one: Case): Expected => {
  const { behaviour, by } = judge(one);
  return `${behaviour} ${by}`;
};
const table = (cases: [string, Case, Expected][]) => {
  for (const [name, one, expected] of cases)
    test(`${name}: ${expected}`, () => expect(verdict(one)).toBe(expected));
};

describe('PE1 modes', () => {
  const inside = [read('/repo/a'), write('/repo/a'), shell('make')];
  const outside = [read('/etc/passwd'), write('/etc/passwd')];
  const expected: Record<PermissionMode, string> = {
    default: 'allow ask ask | ask ask',
    acceptEdits: 'allow allow ask | ask ask',
    plan: 'allow deny ask | ask deny',
    auto: 'allow allow ask | ask ask',
    dontAsk: 'allow deny deny | deny deny',
    bypassPermissions: 'allow allow allow | allow allow',
  };
  for (const [mode, words] of Object.entries(expected))
    test(`${mode}: read, write, shell inside | read, write outside = ${words}`, () => {
      const of = (accesses: typeof inside) =>
        accesses
          .map((access) => judge({ accesses: [access], mode: mode as PermissionMode }).behaviour)
          .join(' ');
      expect(`${of(inside)} | ${of(outside)}`).toBe(words);
    });

  table([
    [
      'an ask rule holds under bypass',
      { accesses: [shell('make')], ask: ['Bash'], mode: 'bypassPermissions' },
      'ask rule',
    ],
    [
      'a deny rule holds under bypass',
      { accesses: [write('/repo/a')], deny: ['Edit'], mode: 'bypassPermissions' },
      'deny rule',
    ],
    [
      'dontAsk runs what a rule allows',
      { accesses: [shell('make')], allow: ['Bash(make)'], mode: 'dontAsk' },
      'allow rule',
    ],
    [
      'dontAsk denies what a rule asks about',
      { accesses: [read('/repo/a')], ask: ['Read'], mode: 'dontAsk' },
      'deny rule',
    ],
    [
      'plan keeps narrow grants of what changes nothing',
      { accesses: [shell('git log -3')], allow: ['Bash(git log:*)'], mode: 'plan' },
      'allow rule',
    ],
    [
      'PL1 plan drops narrow grants of what may change something',
      { accesses: [shell('git commit -m x')], allow: ['Bash(git:*)'], mode: 'plan' },
      'ask ceiling',
    ],
    [
      'PL1 plan drops a grant of this very text',
      { accesses: [shell('make all')], allow: ['Bash(make all)'], mode: 'plan' },
      'ask ceiling',
    ],
    [
      'PL1 plan makes nothing that no path names',
      { accesses: [{ kind: 'none', changes: 'it creates a worktree' }], allow: ['TodoWrite'], mode: 'plan' },
      'deny ceiling',
    ],
    [
      'what makes something is not asked about elsewhere',
      { accesses: [{ kind: 'none', changes: 'it creates a worktree' }] },
      'allow default',
    ],
    [
      'PL1 plan drops shell-wide grants',
      { accesses: [shell('make')], allow: ['Bash'], mode: 'plan' },
      'ask ceiling',
    ],
    [
      'PL1 plan drops interpreters',
      { accesses: [shell('python3 x.py')], allow: ['Bash(python3:*)'], mode: 'plan' },
      'ask ceiling',
    ],
    [
      'plan ignores an allow rule for edits',
      { accesses: [write('/repo/a')], allow: ['Edit'], mode: 'plan' },
      'deny ceiling',
    ],
    [
      'PL1 plan writes its plan',
      {
        accesses: [write('/home/u/.cadre/plans/p.md')],
        mode: 'plan',
        workspace: { planFile: '/home/u/.cadre/plans/p.md' },
      },
      'allow mode',
    ],
    [
      'PL1 and nothing beside it',
      {
        accesses: [write('/home/u/.cadre/plans/q.md')],
        mode: 'plan',
        workspace: { planFile: '/home/u/.cadre/plans/p.md' },
      },
      'deny ceiling',
    ],
  ]);
});

describe('order', () => {
  table([
    [
      'deny beats ask beats allow',
      { accesses: [read('/repo/a')], allow: ['Read'], ask: ['Read'], deny: ['Read'] },
      'deny rule',
    ],
    ['ask beats allow', { accesses: [read('/repo/a')], allow: ['Read'], ask: ['Read'] }, 'ask rule'],
    [
      'the strictest of several accesses counts',
      { accesses: [read('/repo/a'), shell('x'), read('/repo/b')] },
      'ask default',
    ],
    ['no access at all', { accesses: [] }, 'allow default'],
    ['an MCP tool asks', { tool: 'mcp__x__y', accesses: [{ kind: 'none' }] }, 'ask default'],
    [
      'an MCP server may be allowed',
      { tool: 'mcp__x__y', accesses: [{ kind: 'none' }], allow: ['mcp__x'] },
      'allow rule',
    ],
    [
      'but not one with a longer name',
      { tool: 'mcp__xy__z', accesses: [{ kind: 'none' }], allow: ['mcp__x'] },
      'ask default',
    ],
    [
      'a wildcard may deny every MCP tool',
      { tool: 'mcp__x__y', accesses: [], deny: ['mcp__*'] },
      'deny rule',
    ],
  ]);

  test('every decision by a rule names rule, layer and source', () => {
    const decision = judge({ accesses: [read('/repo/.env')], deny: ['Read(.env)'] });
    expect(decision.rule).toEqual(rule('Read(.env)', 'deny'));
    expect(decision.reason).toBe('the deny rule Read(.env) (project: /repo/.cadre/settings.json) denies it');
  });
});

describe('ceiling and role', () => {
  const role = { ...fullRole, writes: false };
  table([
    [
      'G2 the ceiling beats an allow rule',
      {
        accesses: [write('/repo/a')],
        allow: ['Edit'],
        mode: 'bypassPermissions',
        ceiling: { ...openCeiling, writes: 'none' },
      },
      'deny ceiling',
    ],
    [
      'only below',
      {
        accesses: [write('/repo/out/a')],
        mode: 'bypassPermissions',
        ceiling: { ...openCeiling, writes: { only: ['/repo/out'] } },
      },
      'allow mode',
    ],
    [
      'not beside',
      {
        accesses: [write('/repo/outer/a')],
        mode: 'bypassPermissions',
        ceiling: { ...openCeiling, writes: { only: ['/repo/out'] } },
      },
      'deny ceiling',
    ],
    [
      'not through a link',
      {
        accesses: [write('/repo/out/l/a')],
        mode: 'bypassPermissions',
        ceiling: { ...openCeiling, writes: { only: ['/repo/out'] } },
        workspace: { realPath: linksOf({ '/repo/out/l': '/etc' }) },
      },
      'deny ceiling',
    ],
    [
      'plan mode narrows a limited ceiling further',
      {
        accesses: [write('/repo/out/a')],
        mode: 'plan',
        ceiling: { ...openCeiling, writes: { only: ['/repo/out'] } },
      },
      'deny ceiling',
    ],
    [
      'denied by the ceiling',
      {
        accesses: [shell('ls; rm x')],
        allow: ['Bash'],
        ceiling: { ...openCeiling, denied: [rule('Bash(rm:*)', 'allow')] },
      },
      'deny ceiling',
    ],
    [
      'a hidden name is refused by the ceiling',
      {
        accesses: [shell('$X y')],
        allow: ['Bash'],
        ceiling: { ...openCeiling, denied: [rule('Bash(rm:*)', 'deny')] },
      },
      'deny ceiling',
    ],
    [
      'a ceiling that asks holds under bypass',
      { accesses: [shell('make')], mode: 'bypassPermissions', ceiling: { ...openCeiling, shell: 'ask' } },
      'ask ceiling',
    ],
    [
      'a role without writes',
      { accesses: [write('/repo/a')], allow: ['Edit'], mode: 'bypassPermissions', role },
      'deny role',
    ],
    [
      'a read-only shell',
      {
        accesses: [shell('make')],
        allow: ['Bash'],
        mode: 'bypassPermissions',
        role: { ...fullRole, shell: 'read-only' },
      },
      'deny role',
    ],
    [
      'PE7 a tool the role lacks',
      { accesses: [read('/repo/a')], allow: ['Read'], role: { ...fullRole, tools: ['Grep'] } },
      'deny role',
    ],
    [
      'a role names tools by alias too',
      { accesses: [read('/repo/a')], role: { ...fullRole, tools: ['read_file'] } },
      'allow workspace',
    ],
    [
      'a tool the role is denied',
      { accesses: [read('/repo/a')], role: { ...fullRole, denied: ['Read'] } },
      'deny role',
    ],
  ]);

  test('narrowing refuses what either refuses', () => {
    const both = narrowCeiling(
      { ...openCeiling, writes: { only: ['/a', '/b/c'] } },
      { ...planCeiling(), writes: { only: ['/a/x', '/b'] } },
    );
    expect(both).toEqual({ denied: [], writes: { only: ['/b/c', '/a/x'] }, shell: 'ask' });
  });
});

describe('paths', () => {
  const links = {
    realPath: linksOf({ '/repo/link': '/etc', '/elsewhere/in': '/repo', '/repo/dir': '/repo/.git' }),
  };
  table([
    ['a longer name is another directory', { accesses: [read('/repo-evil/a')] }, 'ask workspace'],
    ['dots are resolved', { accesses: [read('/repo/../etc/passwd')] }, 'ask workspace'],
    ['an additional directory', { accesses: [read('/extra/a')] }, 'allow workspace'],
    ['where outputs are kept', { accesses: [read('/home/u/.cadre/outputs/1')] }, 'allow workspace'],
    ['a link out', { accesses: [read('/repo/link/passwd')], workspace: links }, 'ask workspace'],
    [
      'a write through a link out',
      { accesses: [write('/repo/link/passwd')], mode: 'acceptEdits', workspace: links },
      'ask workspace',
    ],
    ['a link in', { accesses: [read('/elsewhere/in/a')], workspace: links }, 'ask workspace'],
    [
      'a workspace behind a link',
      {
        accesses: [write('/w/a')],
        mode: 'acceptEdits',
        workspace: { cwd: '/w', realPath: linksOf({ '/w': '/repo' }) },
      },
      'allow mode',
    ],
    [
      'a link to a protected path',
      { accesses: [write('/repo/dir/config')], mode: 'acceptEdits', workspace: links },
      'ask protected-path',
    ],
    [
      'our keys',
      { accesses: [read('/home/u/.cadre/keys.json')], allow: ['Read'], mode: 'bypassPermissions' },
      'deny protected-path',
    ],
    [
      'what is trusted',
      { accesses: [write('/home/u/.cadre/trust.json')], allow: ['Edit'], mode: 'bypassPermissions' },
      'deny protected-path',
    ],
    [
      'our keys in another case',
      { accesses: [read('/home/u/.CADRE/Keys.json')], mode: 'bypassPermissions' },
      'deny protected-path',
    ],
    [
      'our keys through a link',
      {
        accesses: [read('/repo/k')],
        mode: 'bypassPermissions',
        workspace: { realPath: linksOf({ '/repo/k': '/home/u/.cadre/keys.json' }) },
      },
      'deny protected-path',
    ],
    [
      'a search that would come across our keys',
      { tool: 'Grep', accesses: [read('/home/u')], workspace: { cwd: '/home/u' } },
      'ask protected-path',
    ],
  ]);
});

describe('protected paths', () => {
  const names = [
    '.git/hooks/pre-commit',
    '.GIT/config',
    'sub/.vscode/tasks.json',
    '.cadre/settings.json',
    '.claude/settings.json',
  ];
  names.push(
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    '.bashrc',
    '.npmrc',
    '.yarnrc.yml',
    '.pnp.cjs',
    '.mcp.json',
    '.envrc',
  );
  for (const name of names)
    test(`${name} is asked about, allowed or not`, () => {
      const accesses = [write(`/repo/${name}`)];
      expect(verdict({ accesses, mode: 'acceptEdits' })).toBe('ask protected-path');
      expect(verdict({ accesses, allow: ['Edit', 'Edit(**)'] })).toBe('ask protected-path');
      expect(verdict({ accesses, mode: 'dontAsk', allow: ['Edit'] })).toBe('deny protected-path');
      expect(verdict({ accesses, mode: 'bypassPermissions' })).toBe('allow mode');
    });

  for (const name of [
    '.gitignore',
    'git/x',
    '.github/README.md',
    '.cadre/worktrees/a/src/x.ts',
    'notes.bashrc.md',
  ])
    test(`${name} is an ordinary file`, () => {
      expect(verdict({ accesses: [write(`/repo/${name}`)], mode: 'acceptEdits' })).toBe('allow mode');
    });

  test('inside an agent’s worktree the same names are protected', () => {
    const accesses = [write('/repo/.cadre/worktrees/a/.git/config')];
    expect(verdict({ accesses, mode: 'acceptEdits' })).toBe('ask protected-path');
  });

  test('our own state, wherever it was moved', () => {
    const one: Case = {
      accesses: [write('/repo/state/x')],
      mode: 'acceptEdits',
      workspace: { home: '/repo/state' },
    };
    expect(verdict(one)).toBe('ask protected-path');
  });
});
