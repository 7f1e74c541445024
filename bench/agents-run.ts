/**
 * One process of the bench of agents: one session with so many sub-agents at once, each with a scripted model that reads a
 * file on every turn, in as many waves as make the same work in all.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from '../src/session/open.ts';
import type { Session } from '../src/session/session.ts';
import { call, calls, type FixedTurn, say, scriptedModel } from '../src/testing/index.ts';

export interface AgentFigures {
  started: number;
  completed: number;
  /** The memory of one agent when all of them are at their last turn, after a full collection. */
  kilobytesEach: number;
  /** The same in resident memory, which grows in larger pieces and is never given back. */
  residentEach: number;
  cpuMsPerTurn: number;
}

const count = Number(process.argv[2] ?? 100);
const turnsEach = 5;
const waves = Math.max(1, Math.round(1_000 / count));
/** The same demand at every size: answers take longer where more agents wait for them, as with one provider. */
const thinkingMs = () => count * (0.5 + Math.random());

const directory = mkdtempSync(join(tmpdir(), 'cadre-agents-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
mkdirSync(join(directory, 'work'));
const file = join(directory, 'work', 'a.txt');
writeFileSync(file, 'line\n'.repeat(40));

await runWave(20, false);
const cpu = process.cpuUsage();
let completed = 0;
let kilobytesEach = 0;
let residentEach = 0;
for (let wave = 0; wave < waves; wave++) {
  const figures = await runWave(count, wave === 0);
  completed += figures.completed;
  if (wave === 0) ({ kilobytesEach, residentEach } = figures);
}
const used = process.cpuUsage(cpu);
const figures: AgentFigures = {
  started: count * waves,
  completed,
  kilobytesEach,
  residentEach,
  cpuMsPerTurn: (used.user + used.system) / 1000 / (count * waves * turnsEach),
};
console.log(JSON.stringify(figures));
process.exit(0);

/** Half-way, when every agent waits for its last answer, they are weighed. */
async function runWave(many: number, weigh: boolean) {
  const turns = new Map<string, number>();
  const atLast = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let waiting = 0;
  const answer = async (agentId: string): Promise<FixedTurn> => {
    const turn = (turns.get(agentId) ?? 0) + 1;
    turns.set(agentId, turn);
    await Bun.sleep(thinkingMs());
    if (turn < turnsEach) return call('Read', { file_path: file });
    if (++waiting === many) atLast.resolve();
    await goOn.promise;
    return say('Done.');
  };
  const session = await open(many, answer);
  const before = weigh ? memory() : { heap: 0, resident: 0 };
  session.send({ type: 'prompt', content: 'Go' });
  await atLast.promise;
  const after = weigh ? memory() : { heap: 0, resident: 0 };
  const ends = countEnds(session, many);
  goOn.resolve();
  const completed = await ends;
  await session.finished(new AbortController().signal);
  await session.close();
  return {
    completed,
    kilobytesEach: (after.heap - before.heap) / 1024 / many,
    residentEach: (after.resident - before.resident) / 1024 / many,
  };
}

async function countEnds(session: Session, many: number): Promise<number> {
  let ended = 0;
  let completed = 0;
  for await (const event of session.events()) {
    if (event.type !== 'task_changed' || !event.end) continue;
    if (event.end.status === 'completed') completed++;
    if (++ended === many) break;
  }
  return completed;
}

async function open(many: number, answer: (agentId: string) => Promise<FixedTurn>): Promise<Session> {
  let hired = 0;
  const hire = () => call('Agent', { description: 'x', prompt: `Job ${++hired}`, run_in_background: true });
  const opened = await openSession({
    cwd: join(directory, 'work'),
    environment: { PATH: process.env.PATH, HOME: directory, CADRE_HOME: join(directory, 'home'), SHLVL: '1' },
    model: scriptedModel((request) => {
      const agentId = request.asker?.agentId;
      if (agentId) return answer(agentId);
      return hired < many ? calls(Array.from({ length: Math.min(100, many - hired) }, hire)) : say('Ok.');
    }),
    agentLimits: { maxConcurrent: many, maxTotal: many, askAboveAgents: many },
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return opened.value;
}

function memory(): { heap: number; resident: number } {
  Bun.gc(true);
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}
