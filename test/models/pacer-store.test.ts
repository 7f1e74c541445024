import { describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import type { Problem } from '../../src/lib/result.ts';
import { filePacing, sweepPacing } from '../../src/models/pacer/file-store.ts';
import type { PacingNote } from '../../src/models/pacer/note.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { memoryPacing, type PacerStore } from '../../src/models/pacer/store.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import { failWith, say, scriptedModel } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';
import { collect, drive, limited } from './pacer-support.ts';

const note: PacingNote = {
  sessions: 3,
  hold: { at: 1_000, delayMs: 12_000, cause: 'rate_limited', status: 429 },
  estimate: { refusedAt: 1_000, window: 4, capacity: 2.5, isGuess: true, strikes: 1 },
};

const stores: Record<string, () => () => PacerStore> = {
  memory: () => {
    const hub = memoryPacing();
    return () => hub.join();
  },
  files: () => {
    const home = temporaryDirectory().path;
    return () => filePacing({ home, now: Date.now });
  },
};

for (const [kind, open] of Object.entries(stores)) {
  describe(kind, () => {
    test('what one process says, the others read whole, and it does not read itself', () => {
      const join = open();
      const [a, b] = [join(), join()];
      expect(b.read('p/m')).toEqual([]);
      a.publish('p/m', note);
      expect(b.hasNews('p/m')).toBe(true);
      expect(b.read('p/m')).toMatchObject([{ isAlive: true, note }]);
      expect(a.read('p/m')).toEqual([]);
    });

    test('the newest note of a process replaces the one before', () => {
      const join = open();
      const [a, b] = [join(), join()];
      a.publish('p/m', note);
      b.read('p/m');
      a.publish('p/m', { sessions: 0 });
      expect(b.hasNews('p/m')).toBe(true);
      expect(b.read('p/m').map((peer) => peer.note)).toEqual([{ sessions: 0 }]);
    });

    test('models are kept apart, whatever their names are made of', () => {
      const join = open();
      const [a, b] = [join(), join()];
      for (const model of ['p/m', 'p-m', 'p/../m', `p/${'m'.repeat(300)}`]) {
        expect(b.read(model)).toEqual([]);
        a.publish(model, note);
        expect(b.read(model)).toHaveLength(1);
      }
    });

    test('one that joins later reads what was said before', () => {
      const join = open();
      join().publish('p/m', note);
      join().publish('p/m', { sessions: 1 });
      const late = join();
      expect(late.hasNews('p/m')).toBe(true);
      expect(late.read('p/m')).toHaveLength(2);
    });

    test('a note can be forgotten', () => {
      const join = open();
      const [a, b] = [join(), join()];
      a.publish('p/m', note);
      for (const peer of b.read('p/m')) b.forget('p/m', peer);
      expect(b.read('p/m')).toEqual([]);
    });

    test('slots lie apart, and one that was not taken is not made up for', () => {
      const join = open();
      const [a, b] = [join(), join()];
      a.publish('p/m', note);
      const now = Math.round(Date.now());
      expect(a.takeSlot('p/m', now, 100)).toBe(now);
      expect(b.takeSlot('p/m', now, 100)).toBeCloseTo(now + 100, 0);
      expect(a.takeSlot('p/m', now, 100)).toBeCloseTo(now + 200, 0);
      expect(b.takeSlot('p/m', now + 5_000, 100)).toBe(now + 5_000);
    });
  });
}

describe('files', () => {
  test('SE: only the user may look at them', () => {
    const home = temporaryDirectory().path;
    filePacing({ home, now: Date.now }).publish('p/m', note);
    const directory = folderIn(home);
    expect(statSync(join(home, 'pacing')).mode & 0o777).toBe(0o700);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const [file = ''] = readdirSync(directory);
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
  });

  test('damaged, foreign and half-written files are no notes, and those of the dead are swept', () => {
    const home = temporaryDirectory().path;
    const store = filePacing({ home, now: Date.now });
    store.publish('p/m', note);
    const directory = folderIn(home);
    for (const [name, text] of [
      ['readme.txt', 'hello'],
      ['4194999-123-aaaaaa.tmp', '{"sessions":'],
      ['4194998-1-bbbbbb.json', '{"sessions": "many"}'],
      ['4194997-1-cccccc.json', 'x'.repeat(100_000)],
      [`${process.pid}-0-dddddd.json`, JSON.stringify(note)],
    ] as const)
      writeFileSync(join(directory, name), text);
    const read = filePacing({ home, now: Date.now }).read('p/m');
    expect(read.map((peer) => peer.isAlive).sort()).toEqual([false, true]);
    const left = readdirSync(directory);
    expect(left).toHaveLength(3);
    expect(left).toContain('readme.txt');
    expect(left).toContain(`${process.pid}-0-dddddd.json`);
  });

  test('a process that is killed is seen to be gone; what it said stays', async () => {
    const home = temporaryDirectory().path;
    const script = `
      const { filePacing } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/models/pacer/file-store.ts'))});
      filePacing({ home: ${JSON.stringify(home)}, now: Date.now }).publish('p/m', ${JSON.stringify(note)});
      console.log('told');
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const store = filePacing({ home, now: Date.now });
    expect(store.read('p/m')).toMatchObject([{ isAlive: true, note }]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(store.read('p/m')).toMatchObject([{ isAlive: false, note }]);
  });

  test('without files to write the pacer works on by itself, and says so once', async () => {
    const home = temporaryDirectory().path;
    writeFileSync(join(home, 'pacing'), 'in the way');
    const problems: Problem[] = [];
    const store = filePacing({ home, now: Date.now, onProblem: (problem) => problems.push(problem) });
    const clock = manualClock();
    const model = withPacer(
      scriptedModel([failWith(limited), failWith(limited), say('ok')]),
      new Pacer({ clock, random: () => 0, store }),
    );
    expect((await drive(clock, collect(model))).at(-1)?.type).toBe('response_ended');
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(join(home, 'pacing'));
  });
});

function folderIn(home: string): string {
  const [folder = ''] = readdirSync(join(home, 'pacing'));
  return join(home, 'pacing', folder);
}

test('G5 what is known of a model that no process has asked for long is removed, the rest stays', () => {
  const { path: home } = temporaryDirectory();
  const root = join(home, 'pacing');
  mkdirSync(join(root, 'old-1'), { recursive: true });
  mkdirSync(join(root, 'new-1'));
  utimesSync(join(root, 'old-1'), 1, 1);
  sweepPacing(home, Date.now() - 1000);
  expect(readdirSync(root).filter((name) => name.endsWith('-1'))).toEqual(['new-1']);
});
