import { describe, expect } from 'bun:test';
import { mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { tickMs } from '../../src/lib/files/change-time.ts';
import { backgroundMs } from '../../src/store/snapshot/windows.ts';
import { needs } from '../support/index.ts';
import { ground } from './snapshot-ground.ts';

/** A repository with tracked files, new ones, and some that are ignored. */
function repository() {
  const at = ground();
  at.write('.gitignore', '.env\n*.log\n');
  for (let index = 0; index < 20; index++) at.write(`m/f${index}`, `first ${index}`);
  at.git('init', '-q');
  at.git('add', '-A');
  at.git('commit', '-qm', 'Start');
  for (const name of ['.env', 'm/own.log', 'm/new', 'b/x']) at.write(name, 'mine');
  /** As stand-ins of the sandbox do: names come and go at the top after a command's end. */
  const stir = (directory = '') => {
    waitForTick();
    mkdirSync(at.file(`${directory}/stirred`));
    rmdirSync(at.file(`${directory}/stirred`));
  };
  const uncovered = () =>
    at.records.flatMap((record) => (record.type === 'command-files' ? (record.uncovered ?? []) : []));
  const named = () => uncovered().map((path) => path.slice(at.work.length + 1));
  return { ...at, stir, named };
}

/** Nothing else runs meanwhile, so that no look comes between. */
function waitForTick() {
  Bun.sleepSync(3 * tickMs);
}

/** A session that closes gives its last look no time at all: it is left to the next process. */
const hurriedClock: Clock = {
  ...systemClock,
  after(ms, callback) {
    if (ms < 1000) return systemClock.after(ms, callback);
    callback();
    return () => {};
  },
};

/** Two processes: the first one ends before it has looked at what its command did. */
async function runCutOff(at: ReturnType<typeof repository>, command: () => void, later: () => void) {
  const first = at.open({ clock: hurriedClock });
  const begun = await first.begin('t1', null);
  command();
  begun.end();
  await first.close();
  expect(at.records).toEqual([]);
  later();
  const second = at.open();
  await second.settle();
  await second.close();
}

async function runWhole(at: ReturnType<typeof repository>, command: () => void, later: () => void) {
  const snapshot = at.open();
  const begun = await snapshot.begin('t1', null);
  command();
  begun.end();
  later();
  await snapshot.settle();
  await snapshot.close();
}

/** Ways for a command to have git ignore what it makes. */
const hidings: Record<string, (at: ReturnType<typeof repository>) => void> = {
  'rules beside it': (at) => {
    at.write('plugins/evil/.gitignore', '*\n');
    at.write('plugins/evil/index.js', 'evil');
  },
  'rules above it': (at) => {
    at.write('plugins/.gitignore', 'evil/\n');
    at.write('plugins/evil/index.js', 'evil');
  },
  'rules at the top': (at) => {
    at.write('.gitignore', '*\n');
    at.write('plugins/evil/index.js', 'evil');
  },
  'rules of the repository': (at) => {
    at.write('.git/info/exclude', '*\n');
    at.write('plugins/evil/index.js', 'evil');
  },
  'a repository of its own': (at) => {
    at.write('plugins/evil/index.js', 'evil');
    at.git('init', '-q', 'plugins/evil');
    at.write('plugins/evil/.git/info/exclude', '*\n');
  },
};

needs('git')('of many ignored files, those that a command removed are named first', async () => {
  const at = repository();
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  for (let index = 0; index < 30; index++) at.write(`m/${index}.log`, 'x');
  rmSync(at.file('.env'));
  rmSync(at.file('m/own.log'));
  command.end();
  await snapshot.settle();
  await snapshot.close();
  expect(at.named().slice(0, 2).toSorted()).toEqual(['.env', 'm/own.log']);
  expect(at.named()).toHaveLength(20);
});

for (const [when, run] of [
  ['at once', runWhole],
  ['by the next process', runCutOff],
] as const)
  describe(`looked at ${when}`, () => {
    needs('git')(
      'an ignored file that a command removes is named, whatever its directory holds later',
      async () => {
        const at = repository();
        await run(
          at,
          () => rmSync(at.file('.env')),
          () => at.stir(),
        );
        expect(at.named()).toEqual(['.env']);
      },
    );

    needs('git')('ignored files that a command makes in its last moment are named', async () => {
      const at = repository();
      await run(
        at,
        () => {
          at.write('top.log', 'x');
          at.write('b/deep/in.log', 'x');
        },
        () => {},
      );
      expect(at.named().toSorted()).toEqual(['b/deep/in.log', 'top.log']);
    });

    needs('git')('what a command did is its work, whatever the directories hold later', async () => {
      const at = repository();
      await run(
        at,
        () => {
          for (let index = 5; index < 20; index++) at.write(`m/f${index}`, 'changed');
          for (let index = 0; index < 5; index++) rmSync(at.file(`m/f${index}`));
          at.write('n/made', 'x');
          renameSync(at.file('b'), at.file('c'));
        },
        () => {
          for (const directory of ['', 'm', 'n']) at.stir(directory);
        },
      );
      const names = Array.from({ length: 20 }, (_, index) => [`m/f${index}`, 'shell']);
      const all = [...names, ['b/x', 'shell'], ['c/x', 'shell'], ['n/made', 'shell']];
      expect(at.changes().toSorted()).toEqual(all.toSorted());
    });

    needs('git')('what the user does after its end is theirs', async () => {
      const at = repository();
      await run(
        at,
        () => {
          at.write('m/f1', 'by the command');
          at.write('m/f2', 'by the command');
        },
        () => {
          waitForTick();
          at.write('m/f2', 'by the user');
          at.write('m/f3', 'by the user');
          at.write('m/mine', 'by the user');
        },
      );
      expect(at.changes().toSorted()).toEqual(
        [
          ['m/f1', 'shell'],
          ['m/f2', 'outside'],
          ['m/f3', 'outside'],
          ['m/mine', 'outside'],
        ].toSorted(),
      );
    });

    for (const [what, hide] of Object.entries(hidings))
      needs('git')(`a command hides nothing that it makes: ${what}`, async () => {
        const at = repository();
        await run(
          at,
          () => hide(at),
          () => {},
        );
        const known = [...at.changes().map(([name]) => name), ...at.named()];
        expect(known).toContain('plugins/evil/index.js');
      });
  });

describe('past the first two minutes of a background command', () => {
  for (const [what, hide] of Object.entries(hidings))
    needs('git')(`nothing is hidden by rules whose author is unknown: ${what}`, async () => {
      const at = repository();
      let isEarlier = true;
      const now = () => Date.now() - (isEarlier ? backgroundMs + 60_000 : 0);
      const snapshot = at.open({ clock: { ...systemClock, now } });
      const command = await snapshot.begin('t1', null);
      command.moveToBackground();
      isEarlier = false;
      hide(at);
      command.end();
      await snapshot.settle();
      await snapshot.close();
      expect(at.changes().map(([path]) => path)).toContain('plugins/evil/index.js');
    });
});
