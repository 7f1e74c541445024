import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Proof } from '../../scripts/proofs.ts';
import { sleep } from '../../src/lib/clock.ts';
import { defineTool, textResult } from '../../src/protocol/index.ts';
import { call, calls, say, scriptedModel, type Turn, think, together } from '../../src/testing/index.ts';
import { type Place, place, placeless, recording, replaying, wire } from '../replay/support.ts';
import { type Random, seededRandom } from './random.ts';

const proof: Proof = {
  name: 'replay',
  promise:
    'G10: recorded runs with calls side by side replay byte for byte, elsewhere and without side effects; a changed result is reported',
  async run(full, seed) {
    const directory = mkdtempSync(join(tmpdir(), 'cadre-proof-'));
    const random = seededRandom(seed);
    const faults: string[] = [];
    const runs = full ? 200 : 3;
    let events = 0;
    try {
      for (let run = 0; run < runs; run++) {
        const found = await tryRun(join(directory, `${run}`), random);
        events += found.events;
        if (found.fault) faults.push(`run ${run}: ${found.fault}`);
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
    const figures = { runs, events, faults: faults.length };
    return { passed: faults.length === 0, figures, detail: faults.slice(0, 5).join('\n') };
  },
};

export default proof;

async function tryRun(
  directory: string,
  random: Random,
): Promise<{ events: number; fault: string | undefined }> {
  const prompts = Array.from({ length: 1 + random.below(3) }, (_, index) => `${index} ${random.text(20)}`);
  const turns = prompts.flatMap(() => [
    ...Array.from({ length: random.below(4) }, () => randomTurn(random)),
    say(`x${random.text(30)}`),
  ]);
  const at = placeIn(directory, 'recorded');
  const recorded = await drive(at, recording(at), turns, prompts);
  const there = placeIn(directory, 'replayed');
  const replayed = await drive(there, await replaying(there, at.tape), [], prompts);
  return {
    events: recorded.events.length,
    fault:
      replayed.problem ??
      difference(at, recorded, there, replayed) ??
      (await missedChange(directory, at, prompts)),
  };
}

/** Calls of a tool that takes its own time, so that they end in any order; and of real ones. */
function randomTurn(random: Random): Turn {
  const waits = Array.from({ length: 1 + random.below(4) }, () =>
    call('Wait', { ms: random.below(4), text: random.text(40) }),
  );
  const shell = call('Bash', { command: `echo ${random.below(100)} >> log; cat log` });
  return random.below(3) === 0 ? together(think(random.text(30)), shell) : calls(waits);
}

const wait = defineTool({
  name: 'Wait',
  description: 'Waits.',
  schema: z.object({ ms: z.number(), text: z.string() }),
  access: () => [],
  concurrent: () => true,
  summary: ({ text }) => text,
  async *run({ ms, text }, { clock }) {
    yield { text };
    await sleep(clock, ms);
    return textResult(text);
  },
});

async function drive(at: Place, reel: Parameters<typeof wire>[1], turns: Turn[], prompts: string[]) {
  const run = await wire(at, reel, scriptedModel(turns), { ownTools: [wait] });
  for (const prompt of prompts) if ((await run.prompt(prompt)).kind !== 'completed') break;
  return run.close();
}

type Driven = Awaited<ReturnType<typeof drive>>;

function difference(at: Place, recorded: Driven, there: Place, replayed: Driven): string | undefined {
  const [a, b] = [recorded, replayed].map((run, index) =>
    [run.transcript, ...run.events].map((text) => placeless(index ? there : at, text)),
  );
  const place = a?.findIndex((text, index) => text !== b?.[index]) ?? -1;
  if (place < 0 && a?.length === b?.length) return undefined;
  return `differs at ${place}:\n  ${a?.[place]}\n  ${b?.[place]}`;
}

/** A result changed on the tape must be told at the request that it changes. */
async function missedChange(directory: string, at: Place, prompts: string[]): Promise<string | undefined> {
  const tape = readFileSync(at.tape, 'utf8');
  const changed = tape.replace(/("type":"result".*?"text":")/, '$1changed ');
  if (changed === tape) return undefined;
  writeFileSync(at.tape, changed);
  const there = placeIn(directory, 'changed');
  const { problem } = await drive(there, await replaying(there, at.tape), [], prompts);
  return /request \d+ of the lead.*\n.*\n +now: .*changed/.test(problem ?? '')
    ? undefined
    : `not told: ${problem}`;
}

function placeIn(directory: string, name: string): Place {
  const path = join(directory, name);
  mkdirSync(path, { recursive: true });
  return place({}, path);
}
