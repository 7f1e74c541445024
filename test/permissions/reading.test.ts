import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { judge, shell } from './cases.ts';

/** Lines that only read, or seem to: first those that run without asking, then the others by the reason why they do not. */
const sections = readFileSync(join(import.meta.dirname, 'corpus/reading.txt'), 'utf8')
  .split(/^## /m)
  .filter((text) => text.trim() !== '')
  .map((text) => {
    const [title = '', ...lines] = text.trimEnd().split('\n');
    return { title, lines };
  });

test('the list of everyday lines is long, and most of them run without asking', () => {
  const [free] = sections;
  expect(free?.title).toBe('free');
  expect(free?.lines.length).toBeGreaterThanOrEqual(630);
  expect(new Set(sections.flatMap(({ lines }) => lines)).size).toBeGreaterThanOrEqual(900);
});

describe('everyday lines, judged for an agent that only reads', () => {
  for (const { title, lines } of sections)
    test(`${lines.length} lines ${title}`, () => {
      const wanted = title === 'free' ? 'allow' : 'not';
      const found = (line: string) =>
        judge({ accesses: [shell(line)], role: exploreRole }).behaviour === 'allow' ? 'allow' : 'not';
      expect(lines.filter((line) => found(line) !== wanted)).toEqual([]);
    });
});

describe('what only looks like one of them is asked about', () => {
  for (const line of [
    // Ids that are no commits, names that may begin with a dash, and text that may stand alone.
    'git show $(git describe --tags --abbrev=0)',
    'git show $(git branch --show-current)',
    'git show $(git rev-parse --abbrev-ref HEAD)',
    'git show $(git rev-parse src/../../x)',
    'git show $(git rev-parse HEAD v1)',
    'git show $(git rev-parse HEAD 2>&1)',
    'git show $(git rev-parse HEAD)--output=x',
    'git diff $(git merge-base main HEAD).. a.txt',
    'git diff $(git rev-parse a)..$(git rev-parse b)',
    'git log -p --author $(git rev-parse -q --verify nope) -- main',
    'git log -n $(git rev-parse 1) -- src',
    'git $(git rev-parse show)',
    'git -C $(git rev-parse HEAD) log',
    'git symbolic-ref $(git rev-list -n 2 HEAD)',
    'git branch $(git rev-parse HEAD)',
    'git diff --no-index $(git rev-parse x) a.txt',
    'h=$(git rev-parse HEAD); cd src; git show $h',
    'h=$(git rev-parse HEAD); h=--output=x; git show $h $h',
    'h=$(git rev-parse HEAD); read h; git show $h',
    'cat $(git rev-parse HEAD)',
    // Settings and variables.
    'git -c core.pager=x log',
    'git -c core.pager log',
    'git -c core.fsmonitor=true status',
    'git -c alias.log=!x log',
    'git -c diff.external=x diff',
    'git -c status.submoduleSummary=true status',
    'git -c color.ui=$x log',
    'git -c log.date=format:x log',
    'GIT_PAGER=x git log',
    "GIT_PAGER='cat; x' git log",
    'PAGER="$x" git log',
    'GIT_OPTIONAL_LOCKS=1 git status',
    'LESS=-ox git log',
    'LESSOPEN=x less a.txt',
    // Words that braces make.
    'sort {a.txt,-ox}',
    '{sort,-o,x} a.txt',
    'git log --{oneline,output=x}',
    'rg {--pre,x} y',
    'sed {-i,p} a.txt',
    'uniq {a,b}.txt',
    "sh -c 'ls {a,b}'",
    'bash {-c,x}',
    // An option that takes two words.
    'jq --arg a b -f x y',
    "jq --arg a '.' --slurpfile",
    'jq --arg a $x . y',
    'jq --arg a',
    // Patterns, help and scripts.
    'grep [ab]c x',
    'uniq [a] [bc]',
    'docker --version x',
    'rm --help x',
    'npm --help',
    'bash -n',
    'bash -n a.sh b',
    "bash -n -c 'x'",
    'bash -n "$x"',
    'zsh -n a.sh',
    './bash -n a.sh',
    'bash +n a.sh',
    'ip addr add 10.0.0.1 dev lo',
    'ip -b x',
    'dpkg -l --root=x -i y',
    'unzip -p a.zip -d x',
    'tar -tf a.tar --to-command=x',
    'tar -tf a.tar *',
  ])
    test(line, () => {
      expect(judge({ accesses: [shell(line)], role: exploreRole }).behaviour).not.toBe('allow');
      expect(judge({ accesses: [shell(line)] }).behaviour).not.toBe('allow');
    });
});
