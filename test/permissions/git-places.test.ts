import { expect, test } from 'bun:test';
import { judge, shell } from './cases.ts';

const neutralised = (command: string) => {
  const { behaviour, neutralise } = judge({ accesses: [shell(command)] });
  return behaviour === 'allow' ? [...(neutralise?.git ?? [])].sort() : behaviour;
};

test('C2 the repository of every directory that -C may name is made harmless', () => {
  expect(neutralised('git -C a/b diff')).toEqual(['/repo', '/repo/a/b']);
  expect(neutralised('d=a/b; git -C "$d" diff')).toEqual(['/repo', '/repo/a/b']);
  expect(neutralised('d=a/b; git -C $d diff')).toEqual(['/repo', '/repo/a/b']);
  expect(neutralised('for d in a b; do git -C "$d" diff; done')).toEqual(['/repo', '/repo/a', '/repo/b']);
  expect(neutralised('git -C a -C b diff')).toEqual(['/repo', '/repo/a/b']);
  expect(neutralised('cd a && git -C /repo/b diff')).toEqual(['/repo/a', '/repo/b']);
});

test('C2 a directory of git that is not in the text is asked about', () => {
  const commands = [
    'ls && d=a/b; git -C $d diff',
    'd="a b"; git -C $d diff',
    'git -C deep/e? diff',
    'git -C */ diff',
    'for d in deep/*; do git -C "$d" diff; done',
    'git -C "$d" diff',
    'git -C $(ls) diff',
    'ls | while read -r d; do git -C "$d" diff; done',
    'find . -name x -execdir git diff \\;',
    'find . -name x -execdir git -C sub diff \\;',
    'find . -name x -execdir bash -c "git diff" \\;',
    'find . -name x -exec git -C {} diff \\;',
    'ls | xargs -I{} git -C {} diff',
    'ls | xargs -I% git -C % log',
    'ls | xargs git -C',
  ];
  for (const command of commands) expect([command, neutralised(command)]).toEqual([command, 'ask']);
});

test('where git goes by one -C after the other is judged by the last', () => {
  expect(neutralised('git -C a -C ../../other diff')).toBe('ask');
  expect(neutralised('find . -name x -execdir git -C /repo/a diff \\;')).toEqual(['/repo/a']);
});

test('a deny rule holds for what git shows in any directory that it may go to', () => {
  const command = 'for d in a b; do git -C "$d" show HEAD:.env; done';
  expect(judge({ accesses: [shell(command)], deny: ['Read(.env)'] }).behaviour).toBe('deny');
});

test('git that a rule allows to change a repository runs there as it always does, hooks included', () => {
  const of = (command: string, allow: string[]) =>
    judge({ accesses: [shell(command)], allow, mode: 'default' }).neutralise?.git;
  const rules = ['Bash(git commit:*)', 'Bash(npm test)'];
  expect(of('git commit -m x', rules)).toBeUndefined();
  expect(of('git status && git commit -m x', rules)).toBeUndefined();
  expect(of('git diff --stat; git commit -m x; git log -1', rules)).toBeUndefined();
  // Not where the line looks at another repository, or where it is no git that a rule allows.
  expect(of('git -C vendor status && git commit -m x', rules)).toEqual(['/repo/vendor', '/repo']);
  expect(of('git status && npm test', rules)).toEqual(['/repo']);
  expect(of('git status', rules)).toEqual(['/repo']);
  expect(of('git diff --ext-diff; git status', ['Bash(git diff:*)'])).toEqual(['/repo']);
});
