import { afterAll, expect, test } from 'bun:test';
import { exploreRole } from '../../src/permissions/roles.ts';
import { buildLayouts } from '../proof/kernel/layout.ts';
import { allowedOnDisk } from './allowed-on-disk.ts';
import { judge, shell } from './cases.ts';
import { readCorpus } from './read-corpus.ts';

const everyday = readCorpus('read-only.txt');
const layouts = buildLayouts(['clean', 'credential-links']);
afterAll(() => layouts[Symbol.dispose]());

const hostile = [...readCorpus('hostile.txt'), ...readCorpus('attacks.txt')];

test(`PE6 AG4 of ${everyday.length} everyday read-only commands 98 % run unasked under Explore`, () => {
  expect(everyday.length).toBeGreaterThanOrEqual(340);
  const asked = everyday.filter(
    (command) => judge({ accesses: [shell(command)], role: exploreRole }).behaviour !== 'allow',
  );
  expect(asked.length / everyday.length, asked.join('\n')).toBeLessThanOrEqual(0.02);
});

test('the same run in plan mode and in dontAsk', () => {
  for (const mode of ['plan', 'dontAsk', 'acceptEdits'] as const) {
    const asked = everyday.filter(
      (command) => judge({ accesses: [shell(command)], mode }).behaviour !== 'allow',
    );
    expect(asked.length / everyday.length, asked.join('\n')).toBeLessThanOrEqual(0.02);
  }
});

test(`G9 of ${hostile.length} hostile commands none runs unasked`, () => {
  expect(hostile.length).toBeGreaterThanOrEqual(1080);
  const modes = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk'] as const;
  const allowed = modes.flatMap((mode) =>
    hostile
      .filter((command) => judge({ accesses: [shell(command)], mode }).behaviour === 'allow')
      .map((command) => `${mode}: ${command}`),
  );
  expect(allowed).toEqual([]);
});

for (const posture of ['default', 'acceptEdits', 'Explore'])
  test(`G9 of ${hostile.length} hostile commands none runs unasked where there are files, links and repositories: ${posture}`, () => {
    expect(allowedOnDisk(hostile, layouts.all, [posture])).toEqual([]);
  });

test('PE1 what only writes in the workspace is asked about, or allowed by acceptEdits; a reader may not', () => {
  for (const command of readCorpus('writes.txt')) {
    const verdict = (more: object) => judge({ accesses: [shell(command)], ...more }).behaviour;
    const found = [
      verdict({}),
      verdict({ mode: 'acceptEdits' }),
      verdict({ mode: 'plan' }),
      verdict({ role: exploreRole }),
    ];
    expect([command, ...found]).toEqual([command, 'ask', 'allow', 'deny', 'deny']);
  }
});

test('no mode lets a read-only role run one that is not known', () => {
  const allowed = hostile.filter(
    (command) =>
      judge({
        accesses: [shell(command)],
        role: exploreRole,
        allow: ['Bash', 'Edit'],
        mode: 'bypassPermissions',
      }).behaviour === 'allow',
  );
  expect(allowed.filter((command) => !readsOutside(command))).toEqual([]);
});

/** Bypass lets a read-only role read anywhere, as it does with Read. */
function readsOutside(command: string): boolean {
  return judge({ accesses: [shell(command)], role: exploreRole }).by === 'workspace';
}
