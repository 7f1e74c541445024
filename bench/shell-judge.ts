import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCeiling } from '../src/permissions/ceiling.ts';
import { decide } from '../src/permissions/decide.ts';
import { exploreRole } from '../src/permissions/roles.ts';
import { emptyLook } from '../src/places/look.ts';
import type { CallWorkspace } from '../src/places/types.ts';
import { parseRule } from '../src/settings/rules.ts';

/** How long one command takes to judge: the corpora with rules of both kinds, and one of 20 KB of each shape. */
const workspace: CallWorkspace = {
  cwd: '/repo',
  directories: [],
  home: '/home/u/.cadre',
  userHome: '/home/u',
  realPath: (path) => path,
  look: emptyLook,
};
const rules = ['Bash(rm:*)', 'Bash(git push * --force*)', 'Read(.env)', 'Bash(npm run *)'].flatMap(
  (text, index) => {
    const rule = parseRule(text, index < 3 ? 'deny' : 'allow', 'user', 'bench', '/');
    return rule.ok ? [rule.value] : [];
  },
);

function judge(command: string): number {
  const start = performance.now();
  decide(openCeiling, exploreRole, 'default', rules, {
    tool: 'Bash',
    accesses: [{ kind: 'shell', command, cwd: '/repo' }],
    workspace,
  });
  return performance.now() - start;
}

const corpus = ['read-only.txt', 'hostile.txt', 'writes.txt'].flatMap((name) =>
  readFileSync(join(import.meta.dirname, '../test/permissions/corpus', name), 'utf8').split('\n'),
);
const cold = judge('git status && ls | head');
const times = Array.from({ length: 10 }, () => corpus.map(judge))
  .flat()
  .sort((a, b) => a - b);
const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(3);
console.log(
  `first command ${cold.toFixed(2)} ms; of ${times.length}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(0.99999)} ms`,
);

const shapes: Record<string, string> = {
  'a list of commands': 'cat src/a.ts | head -5; '.repeat(850),
  'one long command': `cat ${'src/some-file.ts '.repeat(1200)}`,
  substitutions: 'echo "$(git rev-parse HEAD)"; '.repeat(680),
  'nested substitutions': `echo ${'$(echo '.repeat(250)}x${')'.repeat(250)}`,
  'many nested substitutions': `echo ${'$(echo '.repeat(30)}x${')'.repeat(30)};`.repeat(80),
  'nested shells': "bash -c 'ls | wc -l'; ".repeat(190),
  'a here-document': `cat <<EOF\n${'some text with $(date) in it\n'.repeat(680)}EOF`,
  variables: Array.from({ length: 900 }, (_, index) => `v${index}=$((1+${index}))`).join('; '),
  'a long xargs': `xargs ${'a '.repeat(10_000)}`,
  'many words of braces': `ls ${'{a,b,c}{d,e,f} '.repeat(1300)}`,
  'opening parentheses': '('.repeat(20_000),
  'opening substitutions': '$('.repeat(10_000),
  quotes: `"'`.repeat(10_000),
  backslashes: '\\'.repeat(20_000),
  'a sed script': `sed '${'s/[a-z]*/x/g;'.repeat(1500)}' x`,
};
for (const [name, command] of Object.entries(shapes))
  console.log(
    `${String(command.length).padStart(6)} bytes, ${name}: ${judge(command).toFixed(1)} ms, then ${Math.min(judge(command), judge(command), judge(command)).toFixed(1)} ms`,
  );
