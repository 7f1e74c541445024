import { describe, expect, test } from 'bun:test';
import { openCeiling } from '../../../src/permissions/ceiling.ts';
import { exploreRole } from '../../../src/permissions/roles.ts';
import type { SandboxTerms } from '../../../src/protocol/sandbox.ts';
import { type Case, judge, linksOf, shell } from '../cases.ts';

const on: SandboxTerms = { autoAllow: true, outside: true, excluded: [], network: false };
const inside = (command: string, more: Partial<Case> = {}, terms: Partial<SandboxTerms> = {}) =>
  judge({ accesses: [shell(command)], ...more, workspace: { sandbox: { ...on, ...terms } } });
const verdict = (...given: Parameters<typeof inside>) => {
  const { behaviour, by } = inside(...given);
  return `${behaviour} ${by}`;
};

describe('PE6 what the sandbox confines', () => {
  test('runs unasked, in the workspace', () => {
    expect(inside('make')).toMatchObject({
      behaviour: 'allow',
      by: 'sandbox',
      confine: { writes: 'workspace' },
    });
  });

  for (const command of [
    'npm test',
    'echo x > y',
    'rm -rf build',
    'touch /etc/x',
    'cat /etc/passwd',
    'x=$(y)',
  ])
    test(`${command}: unasked`, () => expect(inside(command).behaviour).toBe('allow'));

  test('what is known to change nothing gets a read-only workspace', () => {
    expect(inside('git status')).toMatchObject({ by: 'default', confine: { writes: 'none' } });
  });

  test('PL1 what a rule allows in plan mode writes nothing', () => {
    const granted = inside('make', { allow: ['Bash(make)'], mode: 'plan' });
    expect(granted).toMatchObject({ behaviour: 'allow', confine: { writes: 'none', always: true } });
    expect(inside('make', { mode: 'plan' })).toMatchObject({ behaviour: 'ask' });
  });

  test('what a rule or bypass allows is confined all the same', () => {
    expect(inside('make', { allow: ['Bash(make)'] })).toMatchObject({ by: 'rule', confine: {} });
    expect(inside('make', { mode: 'bypassPermissions' })).toMatchObject({ by: 'mode', confine: {} });
  });

  test('git is not neutralised where the sandbox is the ground', () => {
    expect(inside('git status && make').neutralise).toBeUndefined();
    expect(inside('git status').neutralise).toBeDefined();
    const line = 'git clone . copy && git -C copy log';
    expect(inside(line, { mode: 'bypassPermissions' }).neutralise).toBeUndefined();
    expect(inside(line, { allow: ['Bash(git clone:*)'] }).neutralise).toBeUndefined();
    expect(inside('git log', { mode: 'bypassPermissions' }).neutralise).toBeDefined();
  });
});

describe('PE6 what it does not lift', () => {
  const cases: [string, string, Partial<Case>, string][] = [
    ['a deny rule', 'make x', { deny: ['Bash(make:*)'] }, 'deny rule'],
    ['an ask rule', 'make x', { ask: ['Bash(make:*)'] }, 'ask rule'],
    ['a rule that cannot be ruled out', '$x', { deny: ['Bash(rm:*)'] }, 'ask rule'],
    ['a deny rule on a path', 'cat .env', { deny: ['Read(.env)'] }, 'deny rule'],
    ['a protected path', 'echo x > .git/config', {}, 'ask protected-path'],
    ['a protected path in a list', 'make && echo x > .mcp.json', {}, 'ask protected-path'],
    ['the removal of what matters', 'rm -rf /repo', {}, 'ask protected-path'],
    ['what cannot be read', 'echo "x', {}, 'ask default'],
    ['a read-only role', 'make', { role: exploreRole }, 'deny role'],
    ['plan mode', 'make', { mode: 'plan' }, 'ask ceiling'],
    ['a write in plan mode', 'touch x', { mode: 'plan' }, 'deny ceiling'],
    ['a ceiling on writing', 'make', { ceiling: { ...openCeiling, writes: 'none' } }, 'ask default'],
    ['a ceiling that asks', 'make', { ceiling: { ...openCeiling, shell: 'ask' } }, 'ask ceiling'],
    ['a role that may not write', 'make', { role: { ...exploreRole, shell: 'full' } }, 'ask default'],
  ];
  for (const [name, command, more, expected] of cases)
    test(`${name}: ${expected}`, () => expect(verdict(command, more)).toBe(expected));

  test('with autoAllow off it is asked as before, and still confined where something else allows it', () => {
    expect(verdict('make', {}, { autoAllow: false })).toBe('ask default');
    expect(inside('make', { allow: ['Bash(make)'] }, { autoAllow: false }).confine).toBeDefined();
  });
});

describe('outside the sandbox', () => {
  const disable = { input: { command: 'make', dangerouslyDisableSandbox: true } };

  test('a call that asks for it is judged as if there were none, and says so', () => {
    const decision = inside('make', disable);
    expect(decision).toMatchObject({ behaviour: 'ask', by: 'default' });
    expect(decision.reason).toContain('outside the sandbox');
    expect(decision.confine).toBeUndefined();
    expect(inside('make', { ...disable, allow: ['Bash(make)'] })).not.toHaveProperty('confine');
  });

  test('it is denied where nothing may run outside', () => {
    expect(verdict('make', disable, { outside: false })).toBe('deny sandbox');
  });

  test('a rule can name the parameter', () => {
    expect(verdict('make', { ...disable, deny: ['Bash(dangerouslyDisableSandbox:true)'] })).toBe('deny rule');
  });

  test('a yes leaves the sandbox only where the sandbox itself is in the way, and the question says so', () => {
    expect(inside('make', { ask: ['Bash'] })).toMatchObject({
      behaviour: 'ask',
      confine: { writes: 'workspace', always: true },
    });
    const question = inside('echo x > .git/config');
    expect(question.reason).toContain('once allowed it runs outside');
    expect(question.confine).toEqual({ writes: 'workspace' });
    expect(inside('echo x > .git/config', {}, { outside: false }).confine).toEqual({
      writes: 'workspace',
      always: true,
    });
  });

  for (const [command, files] of [
    ['cat .env', ['/repo/.env']],
    ['cat .env; python3 -c "open(1)"; curl x', ['/repo/.env']],
    ['ls -la ~/.ssh; make', ['/home/u/.ssh']],
    ['cat ~/.netrc .env ~/.netrc', ['/home/u/.netrc', '/repo/.env']],
    ['cat /etc/shadow', []],
    ['cp .env copy', ['/repo/.env']],
    ['rm -rf /repo', []],
    ['rm -rf ~', []],
  ] as const)
    test(`a yes keeps it inside: ${command}`, () => {
      const { behaviour, by, reason, confine } = inside(command);
      expect([behaviour, by, confine?.always]).toEqual(['ask', 'protected-path', true]);
      expect(reason).not.toContain('outside');
      expect(confine?.offers ?? []).toEqual([...files]);
    });

  test('a link is offered with where it leads', () => {
    const links = { realPath: linksOf({ '/home/u/.netrc': '/home/u/dot/netrc' }) };
    const { confine, reason } = judge({
      accesses: [shell('cat ~/.netrc')],
      workspace: { sandbox: on, ...links },
    });
    expect(confine?.offers).toEqual(['/home/u/dot/netrc', '/home/u/.netrc']);
    expect(reason).toContain('can read it inside');
  });

  test('a line that also writes a protected path leaves, and the question names both', () => {
    for (const line of ['cat .env; touch .vscode/x', 'touch .vscode/x; cat .env']) {
      const { reason, confine } = inside(line);
      expect(confine).toEqual({ writes: 'workspace' });
      for (const part of [
        '/repo/.env may hold credentials',
        '/repo/.vscode/x',
        'once allowed it runs outside',
      ])
        expect(reason).toContain(part);
    }
  });

  test('where the home is closed to the sandbox the question says what a yes shows', () => {
    expect(inside('cat ~/.netrc').reason).toContain(
      'once allowed, this command can read it inside the sandbox',
    );
    expect(inside('cat .env').reason).toBe('/repo/.env may hold credentials');
  });

  test('leaving the sandbox is asked about, also for what is known to change nothing', () => {
    const leave = (command: string, more: Partial<Case> = {}) => verdict(command, { ...disable, ...more });
    expect(leave('ls')).toBe('ask sandbox');
    expect(leave('touch a', { mode: 'acceptEdits' })).toBe('ask sandbox');
    expect(leave('make', { allow: ['Bash(make)'] })).toBe('allow rule');
    expect(leave('make', { mode: 'bypassPermissions' })).toBe('allow mode');
  });

  test('without a sandbox the parameter changes nothing', () => {
    expect(judge({ accesses: [shell('make')], ...disable }).reason).not.toContain('sandbox');
  });
});
