import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { lookAtLease } from '../../../src/lib/leases/claim-lease.ts';
import { systemMachine } from '../../../src/lib/machine.ts';
import { temporaryDirectory } from '../../support/index.ts';

const script = join(import.meta.dirname, 'holder.script.ts');

function startHolder(directory: string, name: string, speed = '100') {
  const child = Bun.spawn([process.execPath, script, directory, name, speed], {
    stdin: 'pipe',
    stdout: 'pipe',
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const read = async (): Promise<string> => {
    for (let end = rest.indexOf('\n'); end < 0; end = rest.indexOf('\n')) {
      const { value, done } = await lines.read();
      if (done) return rest;
      rest += value;
    }
    const line = rest.slice(0, rest.indexOf('\n'));
    rest = rest.slice(line.length + 1);
    return line;
  };
  const ask = (line: string) => {
    child.stdin.write(`${line}\n`);
    child.stdin.flush();
    return line === 'release' ? Promise.resolve('') : read();
  };
  const end = async () => {
    child.stdin.end();
    await child.exited;
  };
  return { child, read, ask, end };
}

test('of many processes that claim a lease at once one wins, again after each death', async () => {
  const { path } = temporaryDirectory();
  for (let round = 1; round <= 3; round++) {
    const racers = Array.from({ length: 5 }, () => startHolder(path, 'a', '1'));
    const answers = await Promise.all(racers.map(({ read }) => read()));
    expect(answers.filter((answer) => answer === `won ${round}`)).toHaveLength(1);
    expect(answers.filter((answer) => answer.startsWith('won'))).toHaveLength(1);
    for (const { child } of racers) child.kill('SIGKILL');
    await Promise.all(racers.map(({ child }) => child.exited));
  }
});

test('SE1 a process that was stopped past its deadline is passed, and refused when it wakes', async () => {
  const { path } = temporaryDirectory();
  const machine = { ...systemMachine, uptime: () => systemMachine.uptime() * 100 };
  const holder = startHolder(path, 'a');
  expect(await holder.read()).toBe('won 1');
  holder.child.kill('SIGSTOP');
  while (lookAtLease({ directory: path, machine }, 'a')?.state !== 'paused') await Bun.sleep(5);
  const next = startHolder(path, 'a');
  expect(await next.read()).toBe('won 2');
  const answer = holder.ask('check');
  holder.child.kill('SIGCONT');
  expect(await answer).toBe(`lost to ${next.child.pid}`);
  expect(await next.ask('check')).toBe('holds');
  await Promise.all([holder.end(), next.end()]);
});

test('a process that was stopped past its deadline and passed by none continues', async () => {
  const { path } = temporaryDirectory();
  const machine = { ...systemMachine, uptime: () => systemMachine.uptime() * 100 };
  const holder = startHolder(path, 'a');
  await holder.read();
  holder.child.kill('SIGSTOP');
  while (lookAtLease({ directory: path, machine }, 'a')?.state !== 'paused') await Bun.sleep(5);
  const answer = holder.ask('check');
  holder.child.kill('SIGCONT');
  expect(await answer).toBe('holds');
  await holder.end();
});
