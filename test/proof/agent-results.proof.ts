import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import type { TaskRecord, TranscriptRecord, UserRecord } from '../../src/protocol/index.ts';
import { textOf } from '../../src/protocol/index.ts';
import { loadTranscript } from '../../src/store/transcript.ts';
import { AgentWorld } from './agent-world.ts';
import { type Random, seededRandom } from './random.ts';

const agentsEach = 100;
/** With more of them the world waits for the session: a slow disk makes no session larger. */
const maxUnbegun = 40;

const proof: Proof = {
  name: 'agent-results',
  promise:
    'G3: agents finish, are stopped, written to and cut off in any order, and every parent hears of each run exactly once',
  async run(full, seed) {
    const random = seededRandom(seed);
    const sum = {
      sessions: full ? 100 : 3,
      agents: 0,
      runs: 0,
      crashes: 0,
      stopped: 0,
      interrupted: 0,
      lost: 0,
      twice: 0,
    };
    const faults: string[] = [];
    for (let session = 0; session < sum.sessions; session++) {
      const { found, crashes, agents } = await playSession(random);
      sum.agents += agents;
      sum.crashes += crashes;
      sum.runs += found.runs;
      sum.stopped += found.stopped;
      sum.interrupted += found.interrupted;
      sum.lost += found.lost.length;
      sum.twice += found.twice.length;
      faults.push(...[...found.lost, ...found.twice].map((fault) => `session ${session}: ${fault}`));
    }
    const isRich = sum.crashes > 0 && sum.stopped > 0 && sum.interrupted > 0 && sum.runs >= sum.agents / 2;
    return { passed: faults.length === 0 && isRich, figures: sum, detail: faults.slice(0, 10).join('\n') };
  },
};

export default proof;

async function playSession(random: Random) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
  const world = new AgentWorld(directory, random);
  let crashes = 0;
  try {
    await world.begin();
    world.prompt('Begin.');
    await world.session?.settled();
    while (world.agents < agentsEach) {
      if (world.unbegun > maxUnbegun) {
        world.release();
        await tick();
        continue;
      }
      const dice = random.below(100);
      if (dice < 12) world.hire(1 + random.below(6));
      else if (dice < 70) world.release();
      else if (dice < 80) world.stop();
      else if (dice < 90) world.write();
      else if (dice < 99) world.moveToBackground();
      else {
        crashes++;
        await world.crash();
      }
      for (let ticks = random.below(5); ticks > 0; ticks--) await tick();
    }
    await world.crash();
    world.prompt('Well?');
    await finish(world);
    const records = await recordsOf(world);
    await world.session?.close();
    return { found: audit(records), crashes: crashes + 1, agents: world.agents };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function finish(world: AgentWorld): Promise<void> {
  const done = world.session?.finished(new AbortController().signal).then(() => true);
  while (!(await Promise.race([done, tick()]))) world.release();
}

function tick(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)));
}

async function recordsOf(world: AgentWorld): Promise<TranscriptRecord[]> {
  const loaded = await loadTranscript(world.transcript);
  if (!loaded.ok) throw new Error(loaded.problem.message);
  return loaded.value.records;
}

/** What the lead was told, against what the registry wrote: from the transcript alone. */
function audit(records: readonly TranscriptRecord[]) {
  const users = records.filter((record): record is UserRecord => record.type === 'user');
  const newest = new Map<string, TaskRecord>();
  for (const record of records) if (record.type === 'task-state') newest.set(record.task.runId, record);
  const found = {
    runs: newest.size,
    stopped: 0,
    interrupted: 0,
    lost: [] as string[],
    twice: [] as string[],
  };
  const results = users.flatMap((user) =>
    user.message.content.flatMap((block) => (block.type === 'tool_result' ? [block] : [])),
  );
  const called = new Set(
    records.flatMap((record) =>
      record.type === 'assistant'
        ? record.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
        : [],
    ),
  );
  for (const { task, end } of newest.values()) {
    const told = users.filter(
      ({ origin }) => origin.kind === 'task-notification' && origin.runId === task.runId,
    );
    const answered = results.filter((block) => block.tool_use_id === task.toolUseId);
    // One that was cut off is closed by the next start.
    if (!end || end.outcome === 'interrupted') found.interrupted++;
    else if (end.status === 'killed') found.stopped++;
    const name = `${task.description}, ${task.isBackgrounded ? 'background' : 'waited for'}, ${end?.status ?? 'cut off'}`;
    const wanted = task.isBackgrounded ? told.length : answered.length;
    if (wanted === 0 && (task.isBackgrounded || called.has(task.toolUseId ?? '')))
      found.lost.push(`${name}: not told`);
    if (wanted > 1) found.twice.push(`${name}: told ${wanted} times`);
    if (!task.isBackgrounded && told.length > 0) found.twice.push(`${name}: also notified`);
    checkText(name, end, told, answered, found);
  }
  return found;
}

/** A report has one text that no other has: it must be in exactly one place, and in the right one. */
function checkText(
  name: string,
  end: TaskRecord['end'],
  told: readonly UserRecord[],
  answered: readonly { content: Parameters<typeof textOf>[0] }[],
  found: { lost: string[]; twice: string[] },
): void {
  if (end?.status !== 'completed') return;
  const places = [
    ...told.map(({ message }) => textOf(message.content)),
    ...answered.map(({ content }) => textOf(content)),
  ];
  const times = places.filter((text) => text.includes(end.text)).length;
  if (times === 0) found.lost.push(`${name}: "${end.text}" is nowhere`);
  if (times > 1) found.twice.push(`${name}: "${end.text}" ${times} times`);
}
