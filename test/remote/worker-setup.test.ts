import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobPlace } from '../../src/session/remote/job-place.ts';
import { fitsVersion } from '../../src/session/remote/setup/find-lacks.ts';
import { prepareCheckout, type SetupGround } from '../../src/session/remote/setup/open-setup.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { call, say } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';
import { openMemoryEngine, openSubmitter, startWorker } from './worker-ground.ts';

/** Setups without a sandbox, which tests of the sandbox cover. */
function openGround(changes: Partial<SetupGround> = {}) {
  const { path } = temporaryDirectory();
  const environment = { PATH: process.env.PATH ?? '', HOME: path, CADRE_HOME: join(path, 'home') };
  const said: string[] = [];
  const ground: SetupGround = {
    around: lookAround({ cwd: path, environment }),
    allowed: [],
    rules: [],
    sandbox: undefined,
    mayRunOpen: true,
    cache: join(path, 'setups'),
    say: (text) => said.push(text),
    ...changes,
  };
  const prepare: JobPlace['prepare'] = (checkout, signal) => prepareCheckout(ground, checkout, signal);
  return { path, said, ground, prepare };
}

const setup = (content: object) => JSON.stringify(content);

test('RM6 a setup runs once per content, and what it filled is there for each job', async () => {
  const { engine } = openMemoryEngine();
  const { path, prepare } = openGround();
  const submitter = openSubmitter(engine, {
    '.cadre/worker.json': setup({
      setup: `echo x >> ${path}/runs && mkdir -p made/deep && cp lock.txt made/deep/kept.txt`,
      cache: ['made'],
      inputs: ['lock.txt'],
      tools: { git: '>=1', sh: '*' },
    }),
    '.gitignore': 'made/\n',
    'lock.txt': 'one\n',
    'other.txt': 'a\n',
  });
  const worker = startWorker({
    engine,
    trusts: [submitter.key.name],
    prepare,
    turns: ({ messages }) =>
      JSON.stringify(messages).includes('tool_result')
        ? say(JSON.stringify(messages).includes('1\\tone') ? 'kept one' : 'kept two')
        : call('Read', { file_path: 'made/deep/kept.txt' }),
  });
  const runJob = async () => {
    const order = await submitter.submit();
    return (await submitter.result(order.id)).outcome.text;
  };
  const countRuns = () => submitter.runShell(`wc -l < ${path}/runs`);
  expect(await runJob()).toStartWith('kept');
  expect(countRuns()).toBe('1');
  // Another commit with the same inputs.
  writeFileSync(join(submitter.top, 'other.txt'), 'b\n');
  submitter.run('commit', '-qam', 'other');
  expect(await runJob()).toStartWith('kept');
  expect(countRuns()).toBe('1');
  writeFileSync(join(submitter.top, 'lock.txt'), 'two\n');
  submitter.run('commit', '-qam', 'lock');
  expect(await runJob()).toBe('kept two');
  expect(countRuns()).toBe('2');
  expect(readdirSync(join(path, 'setups')).length).toBe(2);
  await worker.end();
});

test('RM6 what a repository asks for and the worker lacks is reported before a model is asked', async () => {
  const { engine } = openMemoryEngine();
  const { prepare } = openGround();
  const submitter = openSubmitter(engine, {
    '.cadre/worker.json': setup({
      tools: { git: '>=99', 'no-such-program': '*', sh: '*' },
      variables: ['NOT_SET_HERE'],
    }),
  });
  const worker = startWorker({ engine, trusts: [submitter.key.name], prepare });
  const { outcome } = await submitter.result((await submitter.submit()).id);
  expect(outcome.kind).toBe('failed');
  for (const part of [
    'On the worker w1',
    'git >=99 is needed',
    'no-such-program * is missing',
    'NOT_SET_HERE is not set',
  ])
    expect(outcome.reason).toContain(part);
  expect(worker.model.requests.length).toBe(0);
  await worker.end();
});

test('RM6 a setup that fails, or a file that is not valid, ends the job with its words', async () => {
  const { engine } = openMemoryEngine();
  const open = openGround();
  const submitter = openSubmitter(engine);
  const worker = startWorker({ engine, trusts: [submitter.key.name], prepare: open.prepare });
  const attempts: [string, string][] = [
    [setup({ setup: 'echo broken >&2; exit 3' }), 'failed (exit code 3): broken'],
    [setup({ setup: 'true', cache: ['src'] }), 'src is not ignored by git'],
    [setup({ setup: 'true', cache: ['../up'] }), 'expected a path inside the repository'],
    [setup({ tools: { 'a;b': '*' } }), 'is not valid'],
    [setup({ unknown: 1 }), 'is not valid'],
    ['{', 'is not valid JSON'],
  ];
  for (const [content, reason] of attempts) {
    submitter.runShell(`mkdir -p .cadre && cat > .cadre/worker.json <<'END'\n${content}\nEND`);
    submitter.run('add', '-A');
    submitter.run('commit', '-qm', reason);
    const { outcome } = await submitter.result((await submitter.submit()).id);
    expect(outcome.reason).toContain(reason);
  }
  expect(worker.model.requests.length).toBe(0);
  await worker.end();
});

test('without a sandbox a setup is not run, unless the worker says so', async () => {
  const { engine } = openMemoryEngine();
  const { path, prepare } = openGround({ mayRunOpen: false });
  const submitter = openSubmitter(engine, { '.cadre/worker.json': setup({ setup: `touch ${path}/ran` }) });
  const worker = startWorker({ engine, trusts: [submitter.key.name], prepare });
  const { outcome } = await submitter.result((await submitter.submit()).id);
  expect(outcome.reason).toContain('no sandbox works on this worker');
  expect(readdirSync(path)).not.toContain('ran');
  await worker.end();
});

test('a version that is asked for is met by its own numbers, or by more with >=', () => {
  const meets = (found: string, wanted: string) => fitsVersion(found, wanted);
  expect([meets('22.1.0', '22'), meets('22.1.0', '22.1'), meets('23.0', '>=22.5')]).toEqual([
    true,
    true,
    true,
  ]);
  expect([meets('2.2', '22'), meets('22.0', '22.1'), meets('22.4', '>=22.5')]).toEqual([false, false, false]);
  expect(meets('10', '>=9.9')).toBe(true);
});
