/**
 * How long Grep and Glob take in a tree of about 12,000 files and in `src`: each search of this checkout, and of another
 * one where it is given, in turns, in one run. `bun bench/search.ts [--before DIR] [--rounds N] [--only TEXT]`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/lib/clock.ts';
import { textOf } from '../src/protocol/message.ts';
import type { Tool, ToolContext } from '../src/protocol/tool.ts';
import { resolveRealPath } from '../src/workspace/real-path.ts';

const { values: given } = parseArgs({
  options: {
    before: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
});
const here = join(import.meta.dirname, '..');
// Not below /tmp, which has costs that real work does not.
const dist = join(here, 'dist');
mkdirSync(dist, { recursive: true });
const tree = mkdtempSync(join(dist, 'bench-'));
const files = 12_000;

interface Search {
  name: string;
  tool: 'Grep' | 'Glob';
  cwd: string;
  input: object;
}

const searches: readonly Search[] = [
  {
    name: 'src: rare',
    tool: 'Grep',
    cwd: here,
    input: { pattern: 'export function searchHeld|async function searchHeld', path: 'src' },
  },
  {
    name: 'src: handful, lines',
    tool: 'Grep',
    cwd: here,
    input: { pattern: 'spawnOwned', path: 'src', output_mode: 'content' },
  },
  {
    name: 'src: handful, around',
    tool: 'Grep',
    cwd: here,
    input: { pattern: 'spawnOwned', path: 'src', output_mode: 'content', '-C': 2 },
  },
  {
    name: 'src: one directory',
    tool: 'Grep',
    cwd: here,
    input: { pattern: 'Result', path: 'src/tools', output_mode: 'content' },
  },
  {
    name: 'src: many, lines',
    tool: 'Grep',
    cwd: here,
    input: { pattern: 'import', path: 'src', output_mode: 'content' },
  },
  { name: 'src: many, names', tool: 'Grep', cwd: here, input: { pattern: 'import', path: 'src' } },
  {
    name: 'src: one file',
    tool: 'Grep',
    cwd: here,
    input: { pattern: 'import', path: 'src/lib/processes/process.ts', output_mode: 'content' },
  },
  { name: 'src: Glob', tool: 'Glob', cwd: here, input: { pattern: 'src/**/*.ts' } },
  { name: 'tree: nothing', tool: 'Grep', cwd: tree, input: { pattern: 'no such words' } },
  { name: 'tree: rare, names', tool: 'Grep', cwd: tree, input: { pattern: 'rare' } },
  { name: 'tree: rare, lines', tool: 'Grep', cwd: tree, input: { pattern: 'rare', output_mode: 'content' } },
  { name: 'tree: Glob, few', tool: 'Glob', cwd: tree, input: { pattern: '**/file-77*.ts' } },
  { name: 'tree: Glob, all', tool: 'Glob', cwd: tree, input: { pattern: '**/*' } },
  { name: 'tree: all, names', tool: 'Grep', cwd: tree, input: { pattern: 'value' } },
  { name: 'tree: all, lines', tool: 'Grep', cwd: tree, input: { pattern: 'value', output_mode: 'content' } },
  { name: 'tree: all, counts', tool: 'Grep', cwd: tree, input: { pattern: 'value', output_mode: 'count' } },
  { name: 'tree: a third, names', tool: 'Grep', cwd: tree, input: { pattern: 'third' } },
  {
    name: 'tree: a third, counts',
    tool: 'Grep',
    cwd: tree,
    input: { pattern: 'third', output_mode: 'count', head_limit: 2000 },
  },
];

makeTree();
try {
  await measureAll();
} finally {
  rmSync(tree, { recursive: true, force: true });
}

async function measureAll(): Promise<void> {
  const contestants = await Promise.all(
    [...(given.before ? [resolve(given.before)] : []), here].map(loadTools),
  );
  const columns = given.before ? '    before     after       ' : '     after';
  console.log(`${`${given.rounds} rounds: fastest, median (ms)`.padEnd(32)}${columns}${columns}`);
  for (const search of searches.filter(({ name }) => name.includes(given.only))) {
    const times = contestants.map((): number[] => []);
    for (let round = -2; round < Number(given.rounds); round++)
      for (const [index, tools] of contestants.entries()) {
        const took = await measure(tools, search);
        if (round >= 0) times[index]?.push(took);
      }
    const shown = [0, 0.5].map((part) => {
      const figures = times.map((values) => at(values, part));
      const ratio = figures.length === 2 ? ` x ${((figures[1] ?? 0) / (figures[0] ?? 1)).toFixed(2)}` : '';
      return figures.map((one) => one.toFixed(1).padStart(10)).join('') + ratio;
    });
    console.log(`${search.name.padEnd(32)}${shown.join('')}`);
  }
}

async function loadTools(checkout: string): Promise<readonly Tool[]> {
  const { coreTools, installedRipgrep } = await import(join(checkout, 'src/tools/index.ts'));
  return coreTools(installedRipgrep(), '/nonexistent');
}

async function measure(tools: readonly Tool[], search: Search): Promise<number> {
  const tool = tools.find(({ name }) => name === search.tool);
  if (!tool) throw new Error(`There is no ${search.tool}.`);
  const input = tool.schema.parse(search.input);
  const start = performance.now();
  const run = tool.run(input, contextIn(search.cwd));
  let step = await run.next();
  while (!step.done) step = await run.next();
  const took = performance.now() - start;
  if (step.value.isError) throw new Error(`${search.name}: ${textOf(step.value.content)}`);
  return took;
}

function contextIn(cwd: string): ToolContext {
  const context: Partial<ToolContext> = {
    ...{ agentId: null, toolUseId: 'toolu_bench', signal: new AbortController().signal, clock: systemClock },
    directory: { root: cwd, current: cwd, move() {} },
    ...{ judged: resolveRealPath, mayRead: () => true },
  };
  return context as ToolContext;
}

/** As deep as sources are, with a file in a thousand that has a rare word in it. */
function makeTree(): void {
  for (let index = 0; index < files; index++) {
    const directory = join(tree, `part-${index % 20}`, `module-${index % 300}`, 'src');
    mkdirSync(directory, { recursive: true });
    const rare = index % 1000 === 0 ? 'a rare word\n' : '';
    const third = index % 3 === 0 ? 'one of a third\n' : '';
    writeFileSync(
      join(directory, `file-${index}.ts`),
      `export const value = ${index};\n`.repeat(40) + rare + third,
    );
  }
}

function at(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
}
