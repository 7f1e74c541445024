import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeBatches, runBatches } from '../scripts/test-batches.ts';
import { temporaryDirectory } from './support/index.ts';

const head = "import { expect, test } from 'bun:test';\n";
const passing = `${head}test('one', () => {}); test('two', () => {}); console.log(' 7 fail');`;

test('batches run beside each other and are summed up as one run', async () => {
  const { code, last } = await run({
    'a.test.ts': passing,
    'b.test.ts': `${head}test('three', () => {}); test.skip('not now', () => {}); test.todo('later');`,
  });
  expect(last).toEqual([' 3 pass', ' 1 skip', ' 1 todo', ' 0 fail']);
  expect(code).toBe(0);
});

test('a failed test fails the run, and is named again at its end', async () => {
  const { code, last, output } = await run({
    'a.test.ts': passing,
    'b.test.ts': `${head}test('wrong', () => expect(1).toBe(2));`,
  });
  expect(last).toEqual([' 2 pass', ' 0 skip', ' 0 todo', ' 1 fail']);
  expect(code).toBe(1);
  expect(output.slice(output.lastIndexOf('Ran 1 test'))).toContain('(fail) wrong');
});

test.each([
  ['is killed', `${head}test('one', () => process.kill(process.pid, 'SIGKILL'));`, 'SIGKILL'],
  ['leaves early', `${head}test('one', () => process.exit(0));`, 'b.test.ts'],
  ['cannot be loaded', 'import "./missing.ts";', 'b.test.ts'],
  ['has no test', 'export {};', 'b.test.ts'],
])('a batch that %s counts as a failure', async (_, text, named) => {
  const { code, last, output } = await run({ 'a.test.ts': passing, 'b.test.ts': text });
  expect(last).toEqual([' 2 pass', ' 0 skip', ' 0 todo', ' 1 fail']);
  expect(code).toBe(1);
  expect(output).toContain(named);
});

test('the same files make the same batches, the longest first, and none is left out', () => {
  const files = Array.from({ length: 30 }, (_, index) => `./test/${String(index).padStart(2, '0')}.test.ts`);
  const seconds = { './test/20.test.ts': 90, './test/07.test.ts': 40, './test/gone.test.ts': 50 };
  const batches = makeBatches(files, seconds);
  expect(makeBatches([...files].reverse(), seconds)).toEqual(batches);
  expect(batches.slice(0, 2)).toEqual([['./test/20.test.ts'], ['./test/07.test.ts']]);
  expect(batches.flat().sort()).toEqual(files);
});

test('files that take long share no batch', () => {
  const seconds = { a: 20, b: 15, c: 8, d: 8, e: 8 };
  expect(makeBatches(['e', 'd', 'c', 'b', 'a'], seconds)).toEqual([['b', 'c'], ['a'], ['d', 'e']]);
});

async function run(files: Record<string, string>): Promise<{ code: number; last: string[]; output: string }> {
  const { path } = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  let output = '';
  const code = await runBatches(
    Object.keys(files).map((name) => [`./${name}`]),
    {
      ...{ command: [process.execPath, 'test'], cwd: path, lanes: 2 },
      write: (text) => {
        output += text;
      },
    },
  );
  return { code, output, last: output.trimEnd().split('\n').slice(-5, -1) };
}
