import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { Session } from '../../src/session/session.ts';
import { call, calls, type FixedTurn, say } from '../../src/testing/index.ts';
import { listRecords } from '../../src/workspace/worktrees/record.ts';
import { openMemoryEngine, startWorker, waitFor } from '../remote/worker-ground.ts';
import { openMovedClient } from '../session/moves/client.ts';
import { type Home, moveAway, openHome, watch } from '../session/moves/ground.ts';
import { place } from '../session/support.ts';
import { type Random, seededRandom } from './random.ts';

const agents = ['here', 'apart', 'aside'];
const worker = 'w1';

const proof: Proof = {
  name: 'moves',
  promise:
    'RM4 G14: a running tree that moves to a worker and back at random moments loses no step, no prompt and no report, does nothing twice, and its files are the same wherever it is',
  async run(full, seed) {
    const moves = full ? 100 : 4;
    const tree = new Tree();
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
    const { figures, faults } = await moveAbout(directory, tree, moves, seededRandom(seed)).finally(() =>
      rmSync(directory, { recursive: true, force: true }),
    );
    return { passed: faults.length === 0, figures, detail: faults.slice(0, 12).join('\n') };
  },
};

export default proof;

/** What the model says: each agent looks at its file, and adds the line after the last one, until it may end. */
class Tree {
  mayEnd = false;
  readonly reports = new Set<string>();

  readonly answer = (request: ModelRequest): FixedTurn => {
    const first = JSON.stringify(request.messages[0]);
    const job = agents.find((name) => first.includes(`job ${name}.`));
    return job === undefined ? this.#lead(request) : this.#agent(job, request);
  };

  #lead({ messages }: ModelRequest): FixedTurn {
    if (messages.some(({ role }) => role === 'assistant')) return say('Heard.');
    return calls(
      agents.map((name) =>
        call('Agent', {
          ...{
            description: name,
            prompt: `This is the job ${name}.`,
            subagent_type: 'general-purpose',
            name,
          },
          ...{ run_in_background: true, ...(name === 'here' ? {} : { isolation: 'worktree' }) },
        }),
      ),
    );
  }

  #agent(job: string, { messages }: ModelRequest): FixedTurn {
    const last = messages.at(-1);
    const text = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content);
    const seen = /last=(\d+)/.exec(text)?.[1];
    if (seen === undefined)
      return call('Bash', { command: `echo last=$(cat ${job}.txt 2>/dev/null | wc -l)` });
    if (this.mayEnd) return say(`The job ${job} has ended.`);
    return call('Bash', {
      command: `echo ${Number(seen) + 1} >> ${job}.txt; echo added ${Number(seen) + 1}`,
    });
  }
}

async function moveAbout(directory: string, tree: Tree, moves: number, random: Random) {
  const faults: string[] = [];
  const { engine } = openMemoryEngine();
  const home = openHome(engine, { 'a.txt': 'one\n' }, place(directory));
  const permissive = { permissionMode: 'bypassPermissions' as const, allowBypass: true };
  writeFileSync(join(home.at.cwd, 'draft.bin'), Buffer.from([0, 1, 2, 255, 254, 10, 13]));
  const there = startWorker({
    ...{ engine, name: worker, trusts: [home.key.name], turns: tree.answer },
    highestMode: 'bypassPermissions',
    home: join(directory, 'worker'),
  });
  home.trust(there.key);
  let session: Session = (await home.open(tree.answer, permissive)).session;
  const { id } = session;
  let seen: ReturnType<typeof watch> = [];
  const prompts: string[] = [];
  const notes: string[] = [];
  const write = () => {
    const uuid = crypto.randomUUID();
    const text = `Note ${notes.push(uuid)}.`;
    prompts.push(uuid);
    return { type: 'prompt' as const, content: text, uuid };
  };
  session.send({ type: 'prompt', content: 'Start the jobs.' });
  await waitFor(() => (session.tasks().length === agents.length ? true : undefined));
  for (let move = 0; move < moves; move += 2) {
    await pause(random.below(400));
    if (random.below(2) === 0) session.send(write());
    await moveAway(session, worker);
    const client = await openMovedClient(home, engine, id);
    await pause(random.below(700));
    if (random.below(2) === 0) await client.send(write());
    client.close();
    const back = await home.bring(id);
    if (!back.ok) throw new Error(`${back.problem.message} ${back.problem.hint ?? ''}`);
    if (back.value.kind !== 'checkout')
      faults.push(`move ${move}: the files came back as ${back.value.kind}`);
    session = (await home.open(tree.answer, { ...permissive, resume: { from: 'id', id } })).session;
    seen = watch(session);
    session.continueSuspended();
    // Nobody is told of an agent that did not continue, except by a notice.
    await waitFor(() => (session.tasks().length > 0 ? true : undefined));
  }
  tree.mayEnd = true;
  await session.finished(new AbortController().signal);
  await session.close();
  await there.end();
  const transcript = readFileSync(session.info().transcriptPath ?? '', 'utf8').split('\n');
  for (const uuid of prompts) {
    const count = transcript.filter(
      (line) => line.startsWith('{"type":"user"') && line.includes(`"uuid":"${uuid}"`),
    ).length;
    if (count !== 1) faults.push(`a prompt is ${count} times in the conversation`);
  }
  let steps = 0;
  for (const name of agents) {
    const found = checkAgent(home, id, name, transcript);
    steps += found.steps;
    faults.push(...found.faults);
  }
  for (const event of seen)
    if (event.type === 'notice_given' && event.level === 'warning') faults.push(event.text);
  faults.push(...checkFiles(home));
  const figures = { moves, agents: agents.length, steps, prompts: prompts.length, faults: faults.length };
  return { figures, faults };
}

/** Each line once and in order, each result once, and one report. */
function checkAgent(home: Home, session: string, name: string, transcript: readonly string[]) {
  const record = listRecords(home.at.home).find((one) => one.session === session && one.agentName === name);
  const directory = name === 'here' ? home.at.cwd : record?.path;
  const path = join(directory ?? '', `${name}.txt`);
  const lines = directory && existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const faults: string[] = [];
  if (lines.length === 0) faults.push(`${name}: it has done nothing`);
  if (lines.some((line, at) => line !== `${at + 1}`))
    faults.push(`${name}: its lines are ${lines.join(' ')}`);
  const ends = transcript.filter(
    (line) => line.includes('"kind":"task-notification"') && line.includes(`The job ${name} has ended.`),
  );
  if (ends.length !== 1) faults.push(`${name}: reported ${ends.length} times`);
  const added = readResults(home, session, name);
  for (const [line, count] of added)
    if (count > 1) faults.push(`${name}: line ${line} was added ${count} times`);
  return { steps: lines.length, faults };
}

function readResults(home: Home, session: string, name: string): Map<string, number> {
  const directory = join(home.around.layout.session(realpathSync(home.at.cwd), session).subagents);
  const found = new Map<string, number>();
  for (const file of new Bun.Glob('agent-*.jsonl').scanSync(directory)) {
    const text = readFileSync(join(directory, file), 'utf8');
    if (!text.includes(`job ${name}.`)) continue;
    for (const [, line = ''] of text.matchAll(/"text":"added (\d+)/g))
      found.set(line, (found.get(line) ?? 0) + 1);
  }
  return found;
}

function checkFiles({ at, run }: Home): string[] {
  const status = run('status', '--porcelain').trim().split('\n').sort();
  const bytes = readFileSync(join(at.cwd, 'draft.bin'));
  return [
    ...(status.join() === '?? draft.bin,?? here.txt' ? [] : [`git status says ${status.join(', ')}`]),
    ...(bytes.equals(Buffer.from([0, 1, 2, 255, 254, 10, 13])) ? [] : ['draft.bin has other bytes']),
  ];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
