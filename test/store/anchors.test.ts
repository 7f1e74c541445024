import { expect, test } from 'bun:test';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import type { TranscriptRecord } from '../../src/protocol/index.ts';
import { Anchors, readAnchors } from '../../src/store/anchors/anchors.ts';
import { LineChain } from '../../src/store/anchors/line-chain.ts';
import { leadFile, RecordChain } from '../../src/store/anchors/record-chain.ts';
import { createTranscript, reopenTranscript } from '../../src/store/transcript.ts';
import { temporaryDirectory } from '../support/directory.ts';

const header: TranscriptRecord & { type: 'cadre-transcript' } = {
  type: 'cadre-transcript',
  format: 1,
  sessionId: 's',
  cwd: '/',
  version: '0',
  createdAt: 'then',
};

function note(number: number): TranscriptRecord {
  return { type: 'custom-title', customTitle: `title ${number}`, sessionId: 's' };
}

function place() {
  const { path: directory } = temporaryDirectory();
  const paths = { transcript: join(directory, 't.jsonl'), anchors: join(directory, 'anchors', 'a.jsonl') };
  const open = () => new RecordChain(new Anchors(paths.anchors, manualClock()), leadFile);
  return { ...paths, open };
}

/** The chain of a file, computed from its bytes alone. */
function chainFile(path: string, from = 0) {
  const chain = new LineChain(from);
  chain.push(readFileSync(path).subarray(from));
  return chain.point;
}

test('HO8: an anchor says what the file holds when it is closed, in its own directory', () => {
  const at = place();
  const created = createTranscript(at.transcript, header, undefined, at.open());
  if (!created.ok) throw new Error(created.problem.message);
  for (let number = 0; number < 3; number++) created.value.append(note(number));
  expect(readAnchors(at.anchors)).toEqual([]);
  created.value.close();
  expect(readAnchors(at.anchors)).toMatchObject([{ file: leadFile, from: 0, ...chainFile(at.transcript) }]);
});

test('HO8: a resumed file continues from its anchor, and names what it found behind it', () => {
  const at = place();
  const created = createTranscript(at.transcript, header, undefined, at.open());
  if (!created.ok) throw new Error(created.problem.message);
  created.value.close();
  const torn = '{"type":"custom-title","customTi';
  appendFileSync(at.transcript, torn);
  const reopened = reopenTranscript(at.transcript, undefined, at.open());
  if (!reopened.ok) throw new Error(reopened.problem.message);
  reopened.value.append(note(1));
  reopened.value.append(note(2));
  reopened.value.close();
  const [, last] = readAnchors(at.anchors);
  expect(last).toMatchObject({ from: 0, found: torn.length, ...chainFile(at.transcript) });
});

test('HO8: a record that another process wrote in between is part of the chain', () => {
  const at = place();
  const created = createTranscript(at.transcript, header, undefined, at.open());
  if (!created.ok) throw new Error(created.problem.message);
  created.value.append(note(1));
  appendFileSync(at.transcript, `${JSON.stringify(note(2))}\n`);
  created.value.append(note(3));
  appendFileSync(at.transcript, `${JSON.stringify(note(4))}\n`);
  created.value.close();
  expect(readAnchors(at.anchors)).toMatchObject([chainFile(at.transcript)]);
});

test('HO8: a file that was cut behind its anchor gets a new anchor; the old one still tells', () => {
  const at = place();
  const created = createTranscript(at.transcript, header, undefined, at.open());
  if (!created.ok) throw new Error(created.problem.message);
  created.value.append(note(1));
  created.value.close();
  truncateSync(at.transcript, readFileSync(at.transcript).indexOf('\n') + 1);
  const reopened = reopenTranscript(at.transcript, undefined, at.open());
  if (!reopened.ok) throw new Error(reopened.problem.message);
  reopened.value.append(note(2));
  reopened.value.close();
  const [old, now] = readAnchors(at.anchors);
  expect(now).toMatchObject(chainFile(at.transcript));
  expect(old?.hash).not.toBe(now?.hash ?? '');
});

test('a chain is the same in whatever pieces the bytes come', () => {
  const bytes = Buffer.from('one\ntwo\n\nthree\nfour');
  const whole = new LineChain();
  whole.push(bytes);
  const pieces = new LineChain();
  for (const byte of bytes) pieces.push(Uint8Array.of(byte));
  expect(pieces.point).toEqual(whole.point);
  expect(whole.point).toMatchObject({ lines: 4, bytes: bytes.length - 4 });
});
