import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import type { AgentContext } from '../../src/loop/agent-context.ts';
import { InFlight } from '../../src/permissions/in-flight.ts';
import { type AgentEvent, textResult } from '../../src/protocol/index.ts';
import type { SandboxTerms } from '../../src/protocol/sandbox.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { call, say } from '../../src/testing/index.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory, until } from '../support/index.ts';
import { play, resultsOf, type Stage, stage, testTool } from './support.ts';

/** Agents of one session, whose commands end when the test says so. */
function session(terms?: SandboxTerms) {
  const root = resolveRealPath(temporaryDirectory().path);
  mkdirSync(join(root, 'd'));
  for (const name of ['a.txt', 'd/b.txt']) writeFileSync(join(root, name), 'x\n');
  const inFlight = new InFlight();
  const clock = manualClock();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const bash = testTool('Bash', {
    concurrent: false,
    access: ({ text }) => [{ kind: 'shell', command: text, cwd: root }],
    run(text) {
      started.push(text);
      return new Promise((resolve) => ends.set(text, () => resolve(textResult('ran'))));
    },
  });
  const sandbox = terms ? { ready: async () => terms } : undefined;
  const shell = { shell: '/bin/bash', environment: async () => ({}), ...(sandbox ? { sandbox } : {}) };
  const workspace = {
    ...{ cwd: root, directories: [], home: join(root, '../.cadre'), userHome: join(root, '..') },
    ...{ realPath: resolveRealPath, look: lookAtFiles([root]) },
  };
  const run = (command: string, permissions: Partial<AgentContext['permissions']> = {}) => {
    const acting: Stage = stage([call('Bash', { text: command }), say('Done.')], {
      ...{ tools: [bash], cwd: root },
      permissions: { mode: 'acceptEdits', workspace, ...permissions },
      hands: { inFlight, shell: shell as unknown as AgentContext['hands']['shell'] },
    });
    acting.prompt('Go');
    const events: AgentEvent[] = [];
    const agent = { ...acting.agent, clock };
    const done = play(agent, (event) => events.push(event)).then((end) => resultsOf(end.events));
    return { done, events, interrupt: () => acting.controller.abort() };
  };
  return { root, run, started, clock, end: (command: string) => ends.get(command)?.() };
}

const reads = 'cd d && cat b.txt';
const moves = 'mv d e';

test('PE9 a command waits for one of another agent that it would lead elsewhere, and then runs', async () => {
  const { run, started, clock, end } = session();
  const first = run(reads);
  await until(() => started.length === 1);
  const second = run(moves);
  await until(() => clock.untilNext() !== undefined);
  expect(started).toEqual([reads]);
  end(reads);
  await until(() => started.length === 2);
  end(moves);
  expect(await first.done).toMatchObject([{ text: 'ran' }]);
  expect(await second.done).toMatchObject([{ text: 'ran' }]);
  expect(second.events.some(({ type }) => type === 'question_asked')).toBe(false);
  expect(clock.untilNext()).toBeUndefined();
});

test('PE9 it waits two seconds, and is then asked about', async () => {
  const { run, started, clock, end } = session();
  const first = run(reads);
  await until(() => started.length === 1);
  const second = run(moves);
  await until(() => clock.untilNext() !== undefined);
  clock.advance(1_999);
  expect(second.events.some(({ type }) => type === 'question_asked')).toBe(false);
  clock.advance(1);
  expect(await second.done).toMatchObject([{ isError: true }]);
  expect(second.events.find(({ type }) => type === 'question_asked')).toMatchObject({
    question: { decision: { reason: expect.stringContaining(`"${reads}" is still running`) } },
  });
  end(reads);
  await first.done;
});

test('PE9 after the wait it is judged by the files as they are then', async () => {
  const { root, run, started, clock, end } = session();
  const replaces = 'mv a.txt d/b.txt';
  const first = run(replaces);
  await until(() => started.length === 1);
  const second = run('cat d/b.txt');
  await until(() => clock.untilNext() !== undefined);
  rmSync(join(root, 'd/b.txt'));
  symlinkSync('/etc/passwd', join(root, 'd/b.txt'));
  end(replaces);
  expect(await second.done).toMatchObject([{ isError: true }]);
  expect(started).toEqual([replaces]);
  await first.done;
});

test('PE9 an interrupt ends the wait', async () => {
  const { run, started, clock, end } = session();
  const first = run(reads);
  await until(() => started.length === 1);
  const second = run(moves);
  await until(() => clock.untilNext() !== undefined);
  second.interrupt();
  await second.done;
  expect(started).toEqual([reads]);
  end(reads);
  await first.done;
});

test('PE9 commands that only read, and a search beside a move elsewhere, do not wait', async () => {
  const { run, started, end } = session();
  const commands = ['cat *.txt', 'grep -rn x d', 'mv a.txt c.txt', 'tail -f d/b.txt'];
  const all = commands.map((command) => run(command));
  await until(() => started.length === commands.length);
  for (const command of commands) end(command);
  for (const one of all) expect(await one.done).toMatchObject([{ text: 'ran' }]);
});

test('PE9 a command that leaves the sandbox counts, and one that stays inside does not', async () => {
  const terms = (excluded: string[]): SandboxTerms =>
    ({ excluded, autoAllow: true, outside: true, shown: [] }) as unknown as SandboxTerms;
  const outside = session(terms(['cat', 'mv']));
  const first = outside.run('cat d/b.txt');
  await until(() => outside.started.length === 1);
  const second = outside.run('mv a.txt d/b.txt');
  await until(() => outside.clock.untilNext() !== undefined);
  outside.end('cat d/b.txt');
  await until(() => outside.started.length === 2);
  outside.end('mv a.txt d/b.txt');
  await Promise.all([first.done, second.done]);

  const inside = session(terms([]));
  const both = [inside.run('cat d/b.txt'), inside.run('mv a.txt d/b.txt')];
  await until(() => inside.started.length === 2);
  for (const command of inside.started) inside.end(command);
  for (const one of both) expect(await one.done).toMatchObject([{ text: 'ran' }]);
});
