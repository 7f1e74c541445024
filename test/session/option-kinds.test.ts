import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { openSession } from '../../src/session/open.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { place } from './support.ts';

const wrong: Readonly<Record<string, readonly unknown[]>> = {
  worktree: [5, {}, [1], false, null],
  clock: [5, 'x', {}, [1], true],
  ids: [5, 'x', {}],
  machine: [5, 'x', {}],
  model: [5, {}, [1], true],
  commandSources: [5, {}, true],
  hostServers: [5, 'x', {}, [1]],
  judge: [5, {}],
  thinking: [5, 'x'],
  persist: ['no'],
  teamPart: [5, {}],
  maxBudgetUsd: ['5', Number.NaN, Number.POSITIVE_INFINITY],
  inherited: [5, [5], [{}], [{ role: 'user' }], [{ role: 'user', content: 'x' }]],
  resume: ['latest', {}, { from: 'earliest' }, { from: 'id' }, { from: 'id', id: 5 }],
};

for (const [name, values] of Object.entries(wrong))
  test(`AG10 the option ${name} of a wrong type is a problem with its name, not an exception`, async () => {
    const { cwd, environment } = place();
    mkdirSync(cwd, { recursive: true });
    for (const value of values) {
      const opened = await openSession({
        cwd,
        environment,
        model: scriptedModel([]),
        [name]: value,
      } as never);
      expect([value, opened]).toMatchObject([
        value,
        { ok: false, problem: { message: expect.stringContaining(`The option ${name}: expected `) } },
      ]);
    }
  });

test('AG10 G8 a limit of agents that is none is a problem with its name: it would limit nothing', async () => {
  const { cwd, environment } = place();
  mkdirSync(cwd, { recursive: true });
  for (const [name, value] of Object.entries({ maxTurns: '5', maxDepth: 9, timeoutSeconds: Number.NaN })) {
    const opened = await openSession({ cwd, environment, agentLimits: { [name]: value } } as never);
    expect([name, opened]).toMatchObject([
      name,
      { ok: false, problem: { message: expect.stringContaining(`The option agentLimits.${name}: `) } },
    ]);
  }
});
