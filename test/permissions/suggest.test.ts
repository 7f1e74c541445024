import { expect, test } from 'bun:test';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { decide } from '../../src/permissions/decide.ts';
import { suggestRules } from '../../src/permissions/suggest.ts';
import type { Access } from '../../src/protocol/permission.ts';
import { formatRule } from '../../src/settings/rules.ts';
import { read, shell, workspace, write } from './cases.ts';

const callOf = (tool: string, access: Access) => ({ tool, accesses: [access], workspace });

const useful: [string, Access, string][] = [
  ['Bash', shell('npm test && ls'), 'Bash(npm test && ls)'],
  ['Read', read('/srv/a [1]/b'), 'Read(//srv/a \\[1\\]/**)'],
  ['Grep', read('/srv/a [1]/b'), 'Read(//srv/a \\[1\\]/b)'],
  ['Glob', read('/home/u/proj'), 'Read(//home/u/proj)'],
  ['Read', read('/home/u/notes.txt'), 'Read(//home/u/notes.txt)'],
  ['Read', read('/notes.txt'), 'Read(//notes.txt)'],
  ['Read', read('/repo/conf/.env'), 'Read(//repo/conf/.env)'],
  ['Read', read('/etc/shadow'), 'Read(//etc/shadow)'],
  ['Write', write('/repo/src/a.ts'), 'Edit(//repo/src/**)'],
  ['mcp__x__y', { kind: 'none' }, 'mcp__x__y'],
];
for (const [tool, access, expected] of useful)
  test(`${expected} is suggested, and would have allowed the call`, () => {
    const rules = suggestRules(callOf(tool, access));
    expect(rules.map(formatRule)).toEqual([expected]);
    expect(decide(openCeiling, fullRole, 'default', rules, callOf(tool, access)).behaviour).toBe('allow');
  });

test.each(['Grep', 'Glob'])(
  'nothing is suggested for %s of the root, the home or what is around it',
  (tool) => {
    for (const path of ['/', '/home', '/home/u']) expect(suggestRules(callOf(tool, read(path)))).toEqual([]);
  },
);

test('a rule for the directory of a search covers all below it', () => {
  const rules = suggestRules(callOf('Grep', read('/srv/a')));
  for (const path of ['/srv/a', '/srv/a/b/c.txt'])
    expect(decide(openCeiling, fullRole, 'default', rules, callOf('Grep', read(path))).behaviour).toBe(
      'allow',
    );
  expect(decide(openCeiling, fullRole, 'default', rules, callOf('Grep', read('/srv/b'))).behaviour).toBe(
    'ask',
  );
});

test('nothing is suggested where a rule would not help or would say more than was seen', () => {
  expect(suggestRules(callOf('Bash', shell('rm *')))).toEqual([]);
  expect(suggestRules(callOf('Edit', write('/repo/.git/config')))).toEqual([]);
});

test('nothing is suggested for a call with a reason of its own to be asked about: no rule says as little', () => {
  const asks = 'it moves the branch that is checked out';
  const landing = { tool: 'Land', accesses: [{ kind: 'none', asks } as const, write('/repo')], workspace };
  expect(suggestRules(landing)).toEqual([]);
  expect(suggestRules(callOf('SubscribePR', { kind: 'none', asks }))).toEqual([]);
});

test('nothing is suggested that would leave a part of the call unanswered', () => {
  const both = { tool: 'Edit', accesses: [write('/repo/a.ts'), write('/repo/.git/config')], workspace };
  expect(suggestRules(both)).toEqual([]);
  expect(suggestRules(callOf('Another', write('/repo/a.ts')))).toEqual([]);
});
