/** One process of the scale bench: so many sessions at once, each with a scripted model that reads a file on every turn. */
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
  kilobytesEach: number;
  cpuMsPerTurn: number;
  delayMsP95: number;
}

const count = Number(process.argv[2] ?? 10);
const turnsEach = 10;
/** As a provider would: answers take their time, and do not all come at once. */
const thinkingMs = () => 500 + Math.random() * 1_000;

const directory = mkdtempSync(join(tmpdir(), 'cadre-scale-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const file = prepare();

const delay = monitorEventLoopDelay({ resolution: 10 });
// Most of what must be loaded and compiled is then there: it is no part of what a session costs.
await runSessions(20);
Bun.gc(true);
const before = process.memoryUsage().rss;
const { completed, peak, used } = await runSessions(count);
const figures: ScaleFigures = {
  sessions: count,
  completed,
  kilobytesEach: (peak - before) / 1024 / count,
  cpuMsPerTurn: (used.user + used.system) / 1000 / (count * turnsEach),
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

async function runSessions(
  many: number,
): Promise<{ completed: number; peak: number; used: NodeJS.CpuUsage }> {
  const sessions = await Promise.all(Array.from({ length: many }, open));
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 250);
  delay.reset();
  delay.enable();
  const cpu = process.cpuUsage();
  const outcomes = await Promise.all(sessions.map((session) => session.run('Go')));
  const used = process.cpuUsage(cpu);
  delay.disable();
  peak = Math.max(peak, process.memoryUsage().rss);
  clearInterval(watch);
  for (const session of sessions) await session.close();
  return { completed: outcomes.filter((outcome) => outcome.kind === 'completed').length, peak, used };
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
