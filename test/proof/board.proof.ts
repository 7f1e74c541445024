/** Processes that claim the items of one board at the same time: each item has one winner. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { type Board, openBoard } from '../../src/team/board/board.ts';

const racer = join(import.meta.dirname, 'board-racer.ts');

const proof: Proof = {
  name: 'board',
  promise: 'TM6: of all processes that claim a board item at the same time, one wins',
  async run(full) {
    const [items, processes] = full ? [1_000, 8] : [60, 4];
    const ground = mkdtempSync(join(tmpdir(), 'cadre-board-'));
    try {
      const ours = await raceOnBoard(join(ground, 'ours'), items, processes);
      const other = await raceByCheck(join(ground, 'other'), items, processes);
      return {
        passed: ours.faults.length === 0,
        figures: {
          ...{ items, processes, attempts: items * processes, winners: ours.winners, doubled: ours.doubled },
          ...{ unclaimed: ours.unclaimed, filesLeftAside: ours.aside },
          // A board that looks first and writes then, with the same load: how many items had several winners.
          checkThenWriteDoubled: other.doubled,
        },
        detail: ours.faults.slice(0, 10).join('\n'),
      };
    } finally {
      rmSync(ground, { recursive: true, force: true });
    }
  },
};

export default proof;

async function raceOnBoard(directory: string, items: number, processes: number) {
  mkdirSync(directory, { mode: 0o700 });
  const board = openBoard({ directory, machine: systemMachine, clock: systemClock, isAlive: () => true });
  for (let at = 0; at < items; at++) {
    const made = board.create({ subject: `Item ${at}` }, { name: 'team-lead' });
    if (!made.ok) throw new Error(made.problem.message);
  }
  const won = await race(directory, processes, 'board');
  const aside = readdirSync(join(directory, 'aside')).length;
  return { ...judge(board, won, items), aside };
}

function judge(board: Board, won: ReadonlyMap<string, readonly string[]>, items: number) {
  const stored = board.list();
  const faults = stored.flatMap(({ id, owner }) => {
    const winners = won.get(id) ?? [];
    if (winners.length === 1 && winners[0] === owner) return [];
    return [`${id}: winners ${winners.join(', ') || 'none'}, on disk ${owner}`];
  });
  if (stored.length !== items) faults.push(`${stored.length} items of ${items} are left`);
  return { ...count(won), unclaimed: stored.filter(({ owner }) => owner === null).length, faults };
}

async function raceByCheck(directory: string, items: number, processes: number) {
  mkdirSync(join(directory, 'items'), { recursive: true, mode: 0o700 });
  for (let at = 0; at < items; at++)
    writeFileSync(
      join(directory, 'items', `${at}.json`),
      JSON.stringify({ subject: `Item ${at}`, owner: null }),
    );
  return count(await race(directory, processes, 'check'));
}

function count(won: ReadonlyMap<string, readonly string[]>) {
  const all = [...won.values()];
  return {
    winners: all.reduce((sum, winners) => sum + winners.length, 0),
    doubled: all.filter((winners) => winners.length > 1).length,
  };
}

/** All processes are there before the first one begins. The winners of each item. */
async function race(directory: string, processes: number, way: string): Promise<Map<string, string[]>> {
  const names = Array.from({ length: processes }, (_, index) => `p${index}`);
  const running = names.map((name) => run([racer, directory, name, way]));
  while (!names.every((name) => existsSync(join(directory, `ready-${name}`)))) await Bun.sleep(5);
  writeFileSync(join(directory, 'go'), '');
  const ended = await Promise.all(running);
  const winners = new Map<string, string[]>();
  for (const [index, out] of ended.entries())
    for (const id of JSON.parse(out) as string[])
      winners.set(id, [...(winners.get(id) ?? []), names[index] ?? '']);
  return winners;
}

function run(words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`a racer ended with ${code}`)),
    );
  });
}
