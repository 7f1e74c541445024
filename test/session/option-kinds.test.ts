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
