import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelRequest, textOf } from '../../src/protocol/index.ts';
import { call, calls, type FixedTurn, say, think, together } from '../../src/testing/index.ts';

/** A small shop, as a repository. */
export function furnish(work: string): void {
  mkdirSync(join(work, 'src'));
  writeFileSync(join(work, 'src', 'sum.ts'), before);
  writeFileSync(join(work, 'src', 'mean.ts'), "import { sum } from './sum.ts';\n");
  writeFileSync(join(work, 'package.json'), '{ "name": "shop", "scripts": { "test": "node --test" } }\n');
  writeFileSync(join(work, 'README.md'), '# Shop\n');
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: work });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'The shop');
}

const loop = `  for (let i = 0; i <= values.length; i++) {
    total += values[i];
  }`;
const before = `export function sum(values: number[]): number {
  let total = 0;
${loop}
  return total;
}
`;

/** What the model says to the prompt of a moment. */
export function answerFor({ messages }: ModelRequest, work: string): FixedTurn {
  const first = messages.find(({ role }) => role === 'user');
  const prompt = first?.role === 'user' ? textOf(first.content) : '';
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const said = messages.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : [])).join('\n');
  const [, answer = () => say('Done.')] = answers.find(([words]) => prompt.includes(words)) ?? [];
  return answer(turn, work, said);
}

type Answer = (turn: number, work: string, said: string) => FixedTurn;

const answers: readonly (readonly [words: string, answer: Answer])[] = [
  [
    'Find out how prices',
    (turn) => (turn < 3 ? call('Bash', { command: `sleep ${turn * 20 + 1}; ls src` }) : say('Read.')),
  ],
  ['Run the tests of', (turn) => (turn < 1 ? call('Bash', { command: 'npm test' }) : say('They pass.'))],
  ['Look for rounding', (turn) => (turn < 1 ? call('Grep', { pattern: 'round' }) : say('There is none.'))],
  ['Why is the sum', (turn, work) => (turn < 1 ? lookAround(work) : say(explanation))],
  ['Fix the sum', (turn, work) => fix(turn, work)],
  ['Plan it', (turn, _, said) => plan(turn, said)],
  ['Three agents', (turn) => (turn < 1 ? startAgents() : say('Three agents are running.'))],
];

function lookAround(work: string): FixedTurn {
  return together(
    think('The sum is NaN. I look at the loop first, then at who calls it.'),
    calls([
      call('Read', { file_path: join(work, 'src/sum.ts') }),
      call('Read', { file_path: join(work, 'src/mean.ts') }),
      call('Read', { file_path: join(work, 'package.json') }),
      call('Grep', { pattern: 'sum\\(' }),
      call('Glob', { pattern: '**/*.test.ts' }),
    ]),
  );
}

const explanation = `The loop runs **one step too far**: \`values[values.length]\` is \`undefined\`, and adding it gives \`NaN\`.

\`\`\`ts
let total = 0;
for (const value of values) total += value; // no index to get wrong
\`\`\`

| file | before | after |
|---|---|---|
| src/sum.ts | NaN | 6 |
| src/mean.ts | NaN | 2 |

1. \`sum\` takes each value once.
2. \`mean\` of an empty list stays \`NaN\`: say if it should throw.
`;

function fix(turn: number, work: string): FixedTurn {
  if (turn < 1) return call('Read', { file_path: join(work, 'src/sum.ts') });
  const after = '  for (const value of values) total += value;';
  const edit = { file_path: join(work, 'src/sum.ts'), old_string: loop, new_string: after };
  return turn < 2 ? call('Edit', edit) : say('`sum` takes each value once.');
}

/** The harness names the one file that can be written. */
function plan(turn: number, said: string): FixedTurn {
  const file = /\S+\/plans\/[\w.-]+\.md/.exec(said)?.[0] ?? '';
  if (turn < 1) return call('Write', { file_path: file, content: planned });
  return turn < 2 ? call('ExitPlanMode', {}) : say('I begin with the loop.');
}

const planned = `# Sums without NaN

1. \`src/sum.ts\`: take each value, without an index.
2. Tests for \`[]\` and \`[1, 2, 3]\`.
3. Say in README.md what \`mean([])\` gives.
`;

function startAgents(): FixedTurn {
  const start = (description: string, subagent_type: string) =>
    call('Agent', { description, prompt: description, subagent_type, run_in_background: true });
  return calls([
    start('Find out how prices are added', 'Explore'),
    start('Run the tests of the shop', 'general-purpose'),
    start('Look for rounding', 'Explore'),
  ]);
}
