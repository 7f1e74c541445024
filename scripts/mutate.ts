/**
 * `npm run mutate -- ROOM`: changes one place of a room at a time, in a copy of the repository, and runs the tests of that
 * room. A mutant that no test notices survives, and is printed: either a test is missing, or the change means nothing.
 *
 *   npm run mutate -- permissions --count 30 --seed 7 --only shell/ --tests 'options|corpus|git'
 *   npm run mutate -- permissions --further 'bun test/proof/kernel/hunt.ts'    what survives the tests meets a further program
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../test/proof/random.ts';
import { copyRepository } from './mutant-copy.ts';
import { applyMutation, findMutations, type Mutation } from './mutations.ts';

const repository = join(import.meta.dirname, '..');
const filesPerBatch = 6;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    seconds: { type: 'string', default: '120' },
    further: { type: 'string' },
  },
});
const [room = ''] = positionals;

interface Mutant extends Mutation {
  readonly file: string;
}

using copy = copyRepository(repository);
/** The tests that noticed most come first. */
const tests = new Map(
  findFiles(`test/${room}`, /\.test\.tsx?$/)
    .filter((file) => new RegExp(values.tests).test(file))
    .map((file) => [file, 0]),
);
if (tests.size === 0) fail(`There are no such tests in test/${room}: npm run mutate -- ROOM`);
const broken = await findNoticing();
if (broken !== undefined) fail(`${broken} fails without any change`);

const survivors: string[] = [];
let tried = 0;
for (const mutant of sample()) {
  const { file, kind, from, to } = mutant;
  const source = readFileSync(join(repository, file), 'utf8');
  const text = applyMutation(source, mutant);
  if (!isProgram(text)) continue;
  if (tried++ >= Number(values.count)) break;
  copy.change(file, text);
  const noticed =
    (await findNoticing()) ??
    (values.further && (await isRefusedBy(values.further)) ? values.further : undefined);
  if (noticed !== undefined && tests.has(noticed)) tests.set(noticed, (tests.get(noticed) ?? 0) + 1);
  const line = source.slice(0, mutant.at).split('\n').length;
  const description = `${file}:${line} ${kind}: ${shorten(from)} -> ${shorten(to)}`;
  console.log(
    `${noticed === undefined ? 'SURVIVES' : 'noticed '} ${description}${noticed === undefined ? '' : ` (${noticed})`}`,
  );
  if (noticed === undefined) survivors.push(description);
}
console.log(
  `\n${survivors.length} of ${Math.min(tried, Number(values.count))} survive (seed ${values.seed})`,
);
for (const survivor of survivors) console.log(survivor);

/** By chance, but each file as often as its size says. */
function* sample(): Generator<Mutant> {
  const random = seededRandom(Number(values.seed));
  const all = findFiles(`src/${room}`, /\.tsx?$/)
    .filter((file) => file.includes(values.only))
    .flatMap((file) => {
      const source = readFileSync(join(repository, file), 'utf8');
      return findMutations(source, file.endsWith('.data.ts')).map((one): Mutant => ({ ...one, file }));
    });
  while (all.length > 0) yield* all.splice(random.below(all.length), 1);
}

function findFiles(folder: string, name: RegExp): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();
}

/** The first test file that fails, or that takes too long. */
async function findNoticing(): Promise<string | undefined> {
  const files = [...tests].sort(([, a], [, b]) => b - a).map(([file]) => file);
  for (let at = 0; at < files.length; at += filesPerBatch) {
    const batch = files.slice(at, at + filesPerBatch);
    const { code, output } = await runLimited([
      ...[process.execPath, 'test', '--bail', '--timeout', '60000'],
      ...batch.map((file) => `./${file}`),
    ]);
    if (code !== 0) return batch.findLast((file) => output.includes(`${file}:`)) ?? batch[0];
  }
  return undefined;
}

async function isRefusedBy(command: string): Promise<boolean> {
  return (await runLimited(['bash', '-c', command])).code !== 0;
}

async function runLimited([program = '', ...args]: string[]): Promise<{
  code: number | null;
  output: string;
}> {
  const child = spawn(program, args, {
    cwd: copy.directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const limit = setTimeout(
    () => child.pid && process.kill(-child.pid, 'SIGKILL'),
    Number(values.seconds) * 1000,
  );
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(limit);
  return { code, output };
}

function isProgram(text: string): boolean {
  try {
    new Bun.Transpiler({ loader: 'tsx' }).transformSync(text);
    return true;
  } catch {
    return false;
  }
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 90)}…` : line || '(nothing)';
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
