import { describe, expect, test } from 'bun:test';
import { judgeShell } from '../../src/shell/rules/judge-line.ts';
import { judge, rule, shell } from './cases.ts';

describe('PE6 a rule with a wildcard allows single commands', () => {
  const cases: [rule: string, command: string, allowed: boolean][] = [
    ['Bash', 'anything; at all', true],
    ['Bash(*)', 'anything; at all', true],
    ['Bash', 'anything; (at all', false],
    ['Bash', 'anything\r at all', false],
    ['Bash(npm test)', 'npm test', true],
    ['Bash(npm test)', 'npm test -- x', false],
    ['Bash(npm test && npm run lint)', 'npm test && npm run lint', true],
    ['Bash(git push:*)', 'git push', true],
    ['Bash(git push:*)', 'git  push --force origin', true],
    ['Bash(git push:*)', 'git pusher', false],
    ['Bash(npm run *)', 'npm run build', true],
    ['Bash(npm run *)', 'npm runner', false],
    ['Bash(lso*)', 'lsof', true],
    ['Bash(git * main)', 'git checkout main', true],
    ['Bash(git * main)', 'git $X main', false],
    ['Bash(npm run *)', 'npm run "$X"', false],
    ['Bash(npm run *)', 'npm run x -- "a b"', true],
    // The script may write the file that it is given.
    ['Bash(npm run *)', 'npm run x -- "$X"', false],
    ['Bash(npm *)', '$X run', false],
    ['Bash(rm *)', 'rm *', false],
    ['Bash(rm *)', 'rm *.log', true],
    ['Bash(rm *)', 'rm -rf /', false],
    ['Bash(rm *)', 'rm .git/config', false],
    ['Bash(npm run *)', 'LC_ALL=C npm run x', true],
    ['Bash(npm run *)', 'A=1 npm run x', false],
    ['Bash(npm run *)', 'NODE_OPTIONS=-r./x npm run x', false],
    ['Bash(npm run *)', 'PATH=.; npm run x', false],
    ['Bash(npm run *)', 'npm run x "a" | tail -3', true],
    ['Bash(npm run *)', 'cd src && npm run x 2>&1', true],
    ['Bash(npm run *)', 'timeout 60 npm run x', true],
    ['Bash(npm run *)', 'sudo npm run x', false],
    ['Bash(npm run *)', "bash -c 'npm run x'", true],
    ['Bash(npm run *)', "bash -c 'npm run x; make'", false],
    ['Bash(npm run *)', 'npm run x && make', false],
    ['Bash(npm run *)', 'npm run $(make)', false],
    ['Bash(npm run *)', 'npm run x > out.txt', false],
    ['Bash(npm run *)', 'npm run x > /dev/null', true],
    ['Bash(find *)', 'find . -exec make {} +', false],
    ['Bash(xargs make *)', 'ls | xargs make -j', true],
    ['Bash(timeout *)', 'timeout 5 make', false],
    ['Bash(sudo apt *)', 'sudo apt update', true],
  ];
  for (const sign of [';', '&', '&&', '|', '||', '\n', '>', '(', '\r', '\u2028', '\u00a0'])
    cases.push(['Bash(npm run *)', `npm run x ${sign} y`, false]);
  for (const [text, command, allowed] of cases)
    test(`${text} ${allowed ? 'allows' : 'asks about'} ${JSON.stringify(command)}`, () => {
      expect(judge({ accesses: [shell(command)], allow: [text] }).behaviour).toBe(allowed ? 'allow' : 'ask');
    });
});

describe('PE6 a refusal is found wherever a command may begin', () => {
  const denied = [
    'rm x',
    'rm',
    '  rm   -rf x',
    'ls; rm x',
    'ls && rm x',
    'ls || rm x',
    'ls | rm x',
    'ls & rm x',
    'ls\nrm x',
    '(rm x)',
    '{ rm x; }',
    'echo $(rm x)',
    'echo `rm x`',
    'A=1 B=2 rm x',
    '/bin/rm x',
    'r\\m x',
    '"rm" x',
    "r'm' x",
    'RM x',
    'sudo -u root rm x',
    'timeout 5 rm x',
    'env -i A=1 rm x',
    'find . -exec rm {} +',
    'ls | xargs -n1 rm',
    'bash -c "rm x"',
    "sh -c 'cd /; rm x'",
    'eval "rm x"',
    'if true; then rm x; fi',
    'while true; do rm x; done',
    '! rm x',
    '> out rm x',
    '2>/dev/null rm x',
    'cat <(rm x)',
    'r\\\nm x',
  ];
  for (const command of denied)
    test(JSON.stringify(command), () => {
      const one = { accesses: [shell(command)], allow: ['Bash'], mode: 'bypassPermissions' as const };
      expect(judge({ ...one, deny: ['Bash(rm:*)'] }).behaviour).toBe('deny');
      expect(judge({ ...one, ask: ['Bash(rm *)'] }).behaviour).toBe('ask');
    });

  for (const command of [
    '$X y',
    ['$', '{X} y'].join(''),
    '$(echo rm) x',
    '`echo rm` x',
    "$'rm' x",
    '/bin/r? x',
    '{rm,x}',
    'bash -c "$X"',
  ])
    test(`a computed name is asked about: ${command}`, () => {
      const decision = judge({ accesses: [shell(command)], deny: ['Bash(rm:*)'], mode: 'bypassPermissions' });
      expect(decision.behaviour).not.toBe('allow');
    });

  for (const command of [
    'rmdir x',
    'echo rm',
    'ls *.ts',
    'echo "$HOME"',
    'npm test > $OUT',
    '[ -f x ] && ls',
    'ls 2>&1',
  ])
    test(`what is something else is left alone: ${command}`, () => {
      expect(
        judge({ accesses: [shell(command)], deny: ['Bash(rm:*)'], mode: 'bypassPermissions' }).behaviour,
      ).toBe('allow');
    });

  test('wildcards in the middle and exact texts refuse too', () => {
    const denies = (text: string, command: string) =>
      judgeShell({ kind: 'shell', command, cwd: '/repo' }, [rule(text, 'deny')], { userHome: '/home/u' })
        .deny !== undefined;
    expect(denies('Bash(git push * --force*)', 'ls; git push origin --force-with-lease')).toBe(true);
    expect(denies('Bash(git push * --force*)', 'sudo git push origin --force')).toBe(true);
    expect(denies('Bash(npm publish)', 'npm test && npm publish 2>&1')).toBe(true);
    expect(denies('Bash(npm publish)', 'npm publisher')).toBe(false);
  });

  test('a long command is judged whole', () => {
    const command = `xargs ${'a '.repeat(900)}; rm x`;
    expect(judge({ accesses: [shell(command)], deny: ['Bash(rm:*)', 'Bash(q * z)'] }).behaviour).toBe('deny');
  });

  test('a rule on a parameter is not taken for a command', () => {
    const one = {
      accesses: [shell('make')],
      deny: ['Bash(run_in_background:true)'],
      mode: 'bypassPermissions' as const,
    };
    expect(judge({ ...one, input: { command: 'make', run_in_background: true } }).behaviour).toBe('deny');
    expect(judge({ ...one, input: { command: 'make' } }).behaviour).toBe('allow');
  });
});
