/**
 * One process of the scale bench: so many sessions at once, each with a scripted model that reads a file on every turn,
 * in as many waves as make the same work in all. So what is done once per process weighs the same for every size.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openSession } from '../src/session/open.ts';
import type { Session } from '../src/session/session.ts';
import { call, say, scriptedModel, type TurnMaker } from '../src/testing/index.ts';

export interface ScaleFigures {
  sessions: number;
  completed: number;
  /** The memory of one open session with its ten turns, after a full collection. */
  kilobytesEach: number;
  cpuMsPerTurn: number;
  delayMsP95: number;
}

const count = Number(process.argv[2] ?? 10);
const sessionsInAll = 1_000;
const turnsEach = 10;
const waves = Math.max(1, Math.round(sessionsInAll / count));
/** The same demand at every size: answers take longer where more sessions wait for them, as with one provider. */
const thinkingMs = () => count * (0.5 + Math.random());

const directory = mkdtempSync(join(tmpdir(), 'cadre-scale-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const file = prepare();
const delay = monitorEventLoopDelay({ resolution: 10 });

await runWave(10);
const cpu = process.cpuUsage();
delay.reset();
let completed = 0;
let bytesEach = 0;
for (let wave = 0; wave < waves; wave++) {
  const figures = await runWave(count);
  completed += figures.completed;
  if (wave === 0) bytesEach = figures.bytesEach;
}
const used = process.cpuUsage(cpu);
const figures: ScaleFigures = {
  sessions: count,
  completed,
  kilobytesEach: bytesEach / 1024,
  cpuMsPerTurn: (used.user + used.system) / 1000 / (count * waves * turnsEach),
  delayMsP95: delay.percentile(95) / 1e6,
};
console.log(JSON.stringify(figures));
process.exit(0);

function prepare(): string {
  const path = join(directory, 'work', 'a.txt');
  mkdirSync(join(directory, 'work'));
  writeFileSync(path, 'line\n'.repeat(40));
  return path;
}

async function runWave(many: number): Promise<{ completed: number; bytesEach: number }> {
  const before = heapBytes();
  const sessions = await Promise.all(Array.from({ length: many }, open));
  delay.enable();
  const outcomes = await Promise.all(sessions.map((session) => session.run('Go')));
  delay.disable();
  const bytesEach = (heapBytes() - before) / many;
  for (const session of sessions) await session.close();
  return { completed: outcomes.filter((outcome) => outcome.kind === 'completed').length, bytesEach };
}

function heapBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
}

async function open(): Promise<Session> {
  let turn = 0;
  const answer: TurnMaker = async () => {
    await Bun.sleep(thinkingMs());
    return ++turn < turnsEach ? call('Read', { file_path: file }) : say('Done.');
  };
  const opened = await openSession({
    cwd: join(directory, 'work'),
    environment: { PATH: process.env.PATH, HOME: directory, CADRE_HOME: join(directory, 'home'), SHLVL: '1' },
    model: scriptedModel(answer),
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return opened.value;
}
