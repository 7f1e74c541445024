import { describe, expect, test } from 'bun:test';
import { exploreRole } from '../../src/permissions/roles.ts';
import type { SandboxTerms } from '../../src/protocol/sandbox.ts';
import { type Case, judge, shell } from './cases.ts';
import { readCorpus } from './read-corpus.ts';

const unproved = readCorpus('state.txt');
const sandbox: SandboxTerms = { autoAllow: true, outside: true, excluded: [], network: false };
const decide = (command: string, more: Partial<Case> = {}) => judge({ accesses: [shell(command)], ...more });

describe(`G2 ${unproved.length} lines of which not everything can be proved`, () => {
  for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto'] as const)
    test(`none runs without asking in ${mode}`, () => {
      expect(unproved.filter((line) => decide(line, { mode }).behaviour === 'allow')).toEqual([]);
    });

  test('none runs for a read-only agent', () => {
    expect(unproved.filter((line) => decide(line, { role: exploreRole }).behaviour === 'allow')).toEqual([]);
  });

  test('none leaves the sandbox by excludedCommands', () => {
    const excluded = 'touch rm cat ls npm git echo x cd eval sh bash'.split(' ');
    const left = unproved.filter((line) => {
      const decision = decide(line, { workspace: { sandbox: { ...sandbox, excluded } } });
      return decision.behaviour === 'allow' && !decision.confine;
    });
    expect(left).toEqual([]);
  });
});

describe('PE6 a rule for one command', () => {
  const allow = ['Bash(npm test:*)', 'Bash(npm run *)', 'Bash(ls:*)', 'Bash(git status)'];

  test('does not cover a line in which its name may mean something else', () => {
    const covered = readCorpus('state-rules.txt').filter(
      (line) => decide(line, { allow }).behaviour === 'allow',
    );
    expect(covered).toEqual([]);
  });

  test('with the very line still allows it', () => {
    for (const line of readCorpus('state-rules.txt').filter((one) => !one.includes('\n')))
      expect([line, decide(line, { allow: [`Bash(${line})`] }).behaviour]).toEqual([line, 'allow']);
  });

  test('covers it behind what only sets how it runs', () => {
    for (const line of [
      'npm test',
      'cd src && npm test',
      'cd src; npm test',
      'timeout 60 npm test 2>&1 | tail -5',
      'command npm test',
      'set -e; npm test',
      'time npm test',
      'x=1; npm test "$x"',
      'for t in a b; do npm test "$t"; done',
      'npm test || npm run lint',
    ])
      expect([line, decide(line, { allow }).behaviour]).toEqual([line, 'allow']);
  });
});

describe('PE6 rules that refuse are looked for in what is not proved, too', () => {
  const inSandbox = { workspace: { sandbox } };
  const cases: [deny: string, line: string, behaviour: 'ask' | 'deny'][] = [
    ['Read(private.txt)', 'f=a.txt; eval f=private.txt; cat "$f"', 'ask'],
    ['Read(private.txt)', 'f=$(echo private.txt); cat "$f"', 'ask'],
    ['Read(private.txt)', 'ls && f=private.txt; cat "$f"', 'deny'],
    ['Read(private.txt)', 'eval true; cat private.txt', 'deny'],
    ['Read(private.txt)', 'f() { :; }; cd src; cat ../private.txt', 'deny'],
    ['Read(src/x)', 'eval true; cd src; cat x', 'deny'],
    ['Read(src/x)', 'builtin cd src; cat x', 'ask'],
    ['Edit(private.txt)', 'eval true; echo x > private.txt', 'deny'],
    ['Bash(rm:*)', 'alias ls=rm; ls x', 'deny'],
    ['Bash(rm:*)', 'hash -p /bin/rm ls; ls x', 'deny'],
    ['Bash(rm:*)', "x='a[$(rm y)]'; echo $((x))", 'ask'],
    ['Bash(rm:*)', "declare -i x='a[$(rm y)]'", 'ask'],
    ['Bash(rm:*)', "unset 'a[$(rm y)]'", 'ask'],
    ['Bash(rm:*)', 'eval "$X"', 'ask'],
    ['Bash(rm:*)', 'eval rm x', 'deny'],
    ['Bash(rm:*)', 'f() { rm x; }; f', 'deny'],
    ['Bash(rm:*)', "sh -c '[[ a || rm ]]'", 'ask'],
    ['Bash(rm:*)', 'ls && x=rm; "$x" y', 'ask'],
  ];
  for (const [rule, line, behaviour] of cases)
    test(`${rule}: ${line}`, () => {
      expect(decide(line, { deny: [rule], ...inSandbox }).behaviour).toBe(behaviour);
    });

  test('without such a rule the sandbox is enough', () => {
    for (const [, line] of cases) expect([line, decide(line, inSandbox).behaviour]).toEqual([line, 'allow']);
  });
});

describe('a plain sh of ours', () => {
  const inSh = (line: string) => decide(line, { workspace: { dialect: 'sh' } }).behaviour;

  test('is judged by its own grammar', () => {
    for (const line of readCorpus('state.txt').flatMap((one) => /^sh -c '(.*)'$/s.exec(one)?.[1] ?? []))
      expect([line, inSh(line)]).toEqual([line, 'ask']);
  });

  test('runs what every shell reads alike, and bash by its own grammar', () => {
    for (const line of ['ls | wc -l', 'cd src && cat a.ts', 'x=a; cat "$x"', "bash -c '[[ -f x ]] && cat x'"])
      expect([line, inSh(line)]).toEqual([line, 'allow']);
  });
});
