import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { Conversation } from '../../src/loop/conversation.ts';
import { anthropicBody } from '../../src/models/anthropic/request.ts';
import { findFacts } from '../../src/models/facts.ts';
import {
  type AssistantBlock,
  type MessageRecord,
  type ModelRequest,
  noUsage,
} from '../../src/protocol/index.ts';
import { restoreConversation } from '../../src/store/conversation.ts';
import { loadForResume } from '../../src/store/resume-read.ts';
import { createTranscript, loadTranscript, reopenTranscript } from '../../src/store/transcript.ts';
import { anthropicViolations } from '../../src/testing/fake-provider/anthropic-checks.ts';
import { type Random, seededRandom } from './random.ts';

const sessionId = '00000000-0000-4000-8000-000000000001';

const proof: Proof = {
  name: 'transcript-cut',
  promise:
    'SE1: a transcript cut at any byte, or with any of its lines destroyed, loads, keeps every other record, says what was damaged, and gives a conversation that a provider takes',
  async run(full, seed) {
    const directory = mkdtempSync(join(tmpdir(), 'cadre-proof-'));
    try {
      const random = seededRandom(seed);
      const whole = writeTranscript(join(directory, 'whole.jsonl'), random, full ? 12 : 2);
      const cuts = Array.from({ length: whole.length + 1 }, (_, cut) => whole.subarray(0, cut));
      const ruins = Array.from({ length: full ? 2_000 : 60 }, () => ruin(whole, random));
      const faults: string[] = [];
      for (const bytes of cuts) faults.push(...(await faultsOf(join(directory, 'cut.jsonl'), bytes)));
      for (const bytes of ruins) faults.push(...(await faultsOf(join(directory, 'ruin.jsonl'), bytes)));
      return {
        passed: faults.length === 0,
        figures: {
          bytes: whole.length,
          cuts: cuts.length,
          'ruined lines': ruins.length,
          faults: faults.length,
        },
        detail: faults.slice(0, 10).join('\n'),
      };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

export default proof;

/** Prompts, answers with parallel calls, results one by one: as a session writes them. */
function writeTranscript(path: string, random: Random, prompts: number): Buffer {
  const created = createTranscript(path, {
    type: 'cadre-transcript',
    format: 1,
    sessionId,
    cwd: '/project',
    version: '0',
    createdAt: 'then',
  });
  if (!created.ok) throw new Error(created.problem.message);
  let parentUuid: string | null = null;
  let number = 0;
  const add = (body: Body) => {
    const record: MessageRecord = { ...body, ...base(`${++number}`, parentUuid) };
    created.value.append(record);
    parentUuid = record.uuid;
  };
  for (let prompt = 0; prompt < prompts; prompt++) {
    add(said(random.text(random.below(120))));
    const calls = Array.from({ length: 1 + random.below(3) }, (_, index) => `call-${prompt}-${index}`);
    add(
      answered(calls.map((id) => ({ type: 'tool_use', id, name: 'Read', input: { text: random.text(10) } }))),
    );
    for (const id of calls) add(gave(id, random.text(random.below(80))));
    add(answered([{ type: 'text', text: `Done ${random.text(20)}` }]));
  }
  created.value.close();
  return readFileSync(path);
}

/** One line replaced by nothing, by half of itself, by NULs or by another kind of JSON. */
function ruin(whole: Buffer, random: Random): Buffer {
  const lines = whole.toString('utf8').trimEnd().split('\n');
  const at = random.below(lines.length);
  const line = lines[at] ?? '';
  const replacements = [
    '',
    line.slice(0, random.below(line.length)),
    '\0'.repeat(line.length),
    '[1,2]',
    '{"type":"user"}',
  ];
  lines[at] = replacements[random.below(replacements.length)] ?? '';
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** What a reader, or a provider, would hold against the transcript that has these bytes. */
async function faultsOf(path: string, bytes: Uint8Array): Promise<string[]> {
  writeFileSync(path, bytes);
  const fault = await findFault(path, Buffer.from(bytes).toString('utf8'));
  rmSync(path, { force: true });
  return fault ? [`${bytes.length} bytes: ${fault}`] : [];
}

async function findFault(path: string, text: string): Promise<string | undefined> {
  const lines = text.split('\n');
  const expected = lines.flatMap(uuidIn);
  const isDamaged = lines.some((line) => line !== '' && !isWhole(line));
  const first = await loadTranscript(path);
  if (!first.ok) return first.problem.message;
  if (uuidsOf(first.value.records) !== expected.join())
    return `expected ${expected.join()}, read ${uuidsOf(first.value.records)}`;
  if (isDamaged && first.value.damage.length === 0) return 'the damage was not reported';

  const { messages, repairs } = restoreConversation(first.value, manualClock(), countedIds());
  const quick = await loadForResume(path, 0);
  if (!quick.ok) return quick.problem.message;
  const short = restoreConversation(quick.value, manualClock(), countedIds());
  if (JSON.stringify(short.messages) !== JSON.stringify(messages))
    return 'resuming reads another conversation';
  if (JSON.stringify(quick.value.damage) !== JSON.stringify(first.value.damage))
    return 'resuming misses damage';
  const next: MessageRecord = { ...said('Go on.'), ...base('next', messages.at(-1)?.uuid ?? null) };
  const reopened = reopenTranscript(path);
  if (!reopened.ok) return reopened.problem.message;
  for (const record of [...repairs, next])
    if (!reopened.value.append(record).ok) return 'the next append failed';
  reopened.value.close();
  const second = await loadTranscript(path);
  if (!second.ok) return second.problem.message;
  const again = restoreConversation(second.value, manualClock(), countedIds());
  if (again.messages.at(-1)?.uuid !== 'next') return 'the next append was not readable';
  return refusalOf(again.messages);
}

/** As strict as the strictest provider about who speaks when and which call has a result. */
function refusalOf(records: readonly MessageRecord[]): string | undefined {
  const { messages } = new Conversation(records);
  const request: ModelRequest = {
    system: [],
    tools: [],
    messages,
    maxOutputTokens: 100,
    thinking: { type: 'off' },
  };
  const body = anthropicBody('claude', request, findFacts('anthropic', 'claude-sonnet-4-5'));
  return anthropicViolations(JSON.parse(body))[0];
}

function uuidIn(line: string): string[] {
  const record = isWhole(line) ? JSON.parse(line) : {};
  return record.uuid && record.message ? [record.uuid] : [];
}

function isWhole(line: string): boolean {
  return line.startsWith('{') && line.endsWith('}') && canParse(line);
}

function canParse(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function uuidsOf(records: readonly object[]): string {
  return records.map((record) => ('uuid' in record ? record.uuid : '')).join();
}

type Body =
  | Pick<Extract<MessageRecord, { type: 'user' }>, 'type' | 'message' | 'origin'>
  | Pick<Extract<MessageRecord, { type: 'assistant' }>, 'type' | 'message'>;

function said(text: string): Body {
  const content = [{ type: 'text' as const, text: text || '…' }];
  return { type: 'user', message: { role: 'user', content }, origin: { kind: 'human' } };
}

function gave(id: string, text: string): Body {
  const content = [
    { type: 'tool_result' as const, tool_use_id: id, content: [{ type: 'text' as const, text }] },
  ];
  return { type: 'user', message: { role: 'user', content }, origin: { kind: 'tool-results' } };
}

function answered(content: AssistantBlock[]): Body {
  const stop_reason = content[0]?.type === 'tool_use' ? 'tool_use' : 'end_turn';
  return {
    type: 'assistant',
    message: { role: 'assistant', id: 'm', model: 'claude', content, stop_reason, usage: noUsage },
  };
}

function base(uuid: string, parentUuid: string | null) {
  return { uuid, parentUuid, sessionId, timestamp: 'then', isSidechain: false };
}
