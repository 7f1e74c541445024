import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { fillSection, readVariable } from '../../src/settings/environment.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { agents } from '../../src/settings/table/agents.ts';
import { settingsTable } from '../../src/settings/table/settings.ts';
import { temporaryDirectory } from '../support/index.ts';

/** What a session with only these settings loads. */
async function loadFlag(settings: object) {
  const { path } = temporaryDirectory();
  const place = { home: join(path, 'home'), userHome: path, cwd: path, root: path };
  return loadSettings({ ...place, sources: [], trusted: false, flagSettings: JSON.stringify(settings) });
}

test('defaults, variables below the files, files and variables above them, in this order', () => {
  const { section } = agents;
  const depth = (given: object, environment: Record<string, string>) =>
    fillSection(section, given, environment).maxDepth;
  const variable = { CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: '2' };
  expect([depth({}, {}), depth({}, variable), depth({ maxDepth: 3 }, variable)]).toEqual([1, 2, 3]);
  const fork = (given: object, environment: Record<string, string>) =>
    fillSection(section, given, environment).fork;
  expect([
    fork({}, {}),
    fork({ fork: true }, {}),
    fork({ fork: true }, { CADRE_FORK_SUBAGENT: '0' }),
  ]).toEqual([false, true, false]);
});

test('of several variables the first that is set and not empty is read', () => {
  const { coordinator } = settingsTable;
  const read = (environment: Record<string, string>) => readVariable(coordinator, environment);
  expect(read({})).toBeUndefined();
  expect(read({ CADRE_COORDINATOR_MODE: '', CLAUDE_CODE_COORDINATOR_MODE: 'on' })).toBe(true);
  expect(read({ CADRE_COORDINATOR_MODE: 'no', CLAUDE_CODE_COORDINATOR_MODE: 'on' })).toBe(false);
});

test.each([
  [{ maxBudgetUsd: 0 }, '--settings:1:17: maxBudgetUsd: expected more than 0, found the number 0'],
  [
    { dream: { idleMinutes: 2_000 } },
    '--settings:1:25: dream.idleMinutes: expected at most 1440, found the number 2000',
  ],
  [{ agents: { maxDepth: 4 } }, '--settings:1:23: agents.maxDepth: expected at most 3, found the number 4'],
])('a value out of its bounds is named with its place: %j', async (settings, message) => {
  expect(await loadFlag(settings)).toMatchObject({
    ok: false,
    problem: { kind: 'usage', message: expect.stringContaining(message) },
  });
});

test('an object that is merged as a whole may be a switch', async () => {
  expect(await loadFlag({ dream: true })).toMatchObject({ ok: true, value: { dream: { enabled: true } } });
});

test('an unknown key is named where keys protect, and left alone elsewhere', async () => {
  const loaded = await loadFlag({ agents: { maxAgents: 3 }, worktree: { colour: 'red' }, spinner: 1 });
  expect(loaded).toMatchObject({
    ok: true,
    value: { unheeded: [{ file: '--settings', key: 'agents.maxAgents' }] },
  });
});
