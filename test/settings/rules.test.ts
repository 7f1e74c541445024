import { describe, expect, test } from 'bun:test';
import { canonicalToolName } from '../../src/protocol/tool-names.ts';
import { formatRule, parseRule, splitToolList } from '../../src/settings/rules.ts';

const parse = (text: string, behaviour: 'allow' | 'ask' | 'deny' = 'allow') =>
  parseRule(text, behaviour, 'cli', '--allowedTools', '/repo');

describe('parseRule', () => {
  const good: [string, string, string | undefined][] = [
    ['Read', 'Read', undefined],
    [' Edit(src/**) ', 'Edit', 'src/**'],
    ['Bash(git diff:*)', 'Bash', 'git diff:*'],
    ['Bash(echo (a) b)', 'Bash', 'echo (a) b'],
    ['Task', 'Agent', undefined],
    ['read_file(a)', 'Read', 'a'],
    ['KillShell', 'TaskStop', undefined],
    ['mcp__github', 'mcp__github', undefined],
    ['mcp__github__*', 'mcp__github__*', undefined],
  ];
  for (const [text, tool, specifier] of good)
    test(`PE1 reads ${text}`, () => {
      const rule = parse(text);
      expect(rule.ok && [rule.value.tool, rule.value.specifier]).toEqual([tool, specifier]);
    });

  const bad: [string, string][] = [
    ['', 'expected a tool name'],
    ['Bash(git', 'closing parenthesis'],
    ['Bash()', 'the parentheses are empty'],
    ['(x)', 'tool name before'],
    ['Ba sh', 'tool name before'],
    ['*', 'only after mcp__'],
    ['mcp__*', 'only after mcp__'],
    ['Edit(!src)', 'negated'],
  ];
  for (const [text, reason] of bad)
    test(`refuses ${JSON.stringify(text)} with the text and the reason`, () => {
      const rule = parse(text);
      expect(rule.ok).toBe(false);
      if (rule.ok) return;
      expect(rule.problem.kind).toBe('usage');
      expect(rule.problem.message).toContain(JSON.stringify(text));
      expect(rule.problem.message).toContain(reason);
    });

  test('a wildcard in a tool name may refuse', () => {
    expect(parse('mcp__*', 'deny').ok && parse('*', 'ask').ok).toBe(true);
  });

  test('a rule is written out as it was read', () => {
    const rule = parse('Bash(npm run *)');
    expect(rule.ok && formatRule(rule.value)).toBe('Bash(npm run *)');
  });
});

test('splitToolList splits outside parentheses only', () => {
  expect(splitToolList('A,B(git *, x),Skill(pdf)  Read')).toEqual(['A', 'B(git *, x)', 'Skill(pdf)', 'Read']);
  expect(splitToolList(' , ')).toEqual([]);
});

test('a name that is no alias stays as it is, also one that every object has', () => {
  expect(['Task', 'grep_search', 'Widget', 'constructor', '__proto__'].map(canonicalToolName)).toEqual([
    'Agent',
    'Grep',
    'Widget',
    'constructor',
    '__proto__',
  ]);
});

test.each([
  'Bash(touch:*),Read(x)',
  'Bash(touch:*), Read(x)',
  'Bash(touch:*) Read(x)',
  'Bash(touch:*);mcp__a__b(x)',
  'Read(a)Read(b)',
  'Read, Bash(rm:*)',
  'Read Bash',
])('two rules in one string are refused: %s', (text) => {
  for (const behaviour of ['deny', 'ask', 'allow'] as const)
    expect(parseRule(text, behaviour, 'user', 'settings.json', '/').ok).toBe(false);
});

test.each(['Bash(echo $(date) (x))', "Bash(echo ')' (x))", 'Bash(echo :))', 'Bash(f() { g(x); })'])(
  'parentheses in a command are part of one rule: %s',
  (text) => {
    expect(parseRule(text, 'deny', 'user', 'settings.json', '/').ok).toBe(true);
  },
);
