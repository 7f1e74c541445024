import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { processIo } from '../../headless/process-io.ts';
import { timestamp } from '../../lib/clock.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { hashBytes } from '../../lib/hash.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { type Envelope, nameKey, openEnvelope, readKey, seal } from '../../receipts/envelope.ts';
import { locateRun } from '../../receipts/locate-run.ts';
import { renderRun, renderStatement } from '../../receipts/render.ts';
import { makeStatement, parseStatement } from '../../receipts/statement.ts';
import { type RunPlace, type VerifiedRun, verifyRun } from '../../receipts/verify-run.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import type { FlagsOf } from '../table/commands.ts';

type VerifyFlags = FlagsOf<'verify'>;

/** `cadre verify`: checks a run again from its files, or an envelope that was made of one. */
export async function verify(word: string, flags: VerifyFlags): Promise<number | Result<never>> {
  const around = lookAround({});
  const envelope = readEnvelope(resolve(around.cwd, word));
  const checked = envelope
    ? verifyEnvelope(envelope, around, flags)
    : await verifyStoredRun(word, around, flags);
  if (!checked.ok) return checked;
  const { text, json, isGood } = checked.value;
  const isPrinted = await processIo().writeOut(flags.json ? formatJson(json) : text);
  return isPrinted && isGood ? 0 : 1;
}

interface Checked {
  text: string;
  json: unknown;
  isGood: boolean;
}

async function verifyStoredRun(
  word: string,
  around: Surroundings,
  flags: VerifyFlags,
): Promise<Result<Checked>> {
  const place = await locateRun(around.layout, around.cwd, word);
  if (!place.ok) return describeFile(resolve(around.cwd, word)) ?? place;
  const run = await verifyRun(place.value);
  const text = renderRun(run);
  if (flags.export === undefined) {
    if (flags.key !== undefined) return usage('--key needs --export FILE, or an envelope to verify.');
    return ok({ text, json: run, isGood: run.ok });
  }
  const written = exportRun(run, place.value, around, { ...flags, export: flags.export });
  if (!written.ok) return written;
  return ok({ text: `${text}${written.value}\n`, json: run, isGood: run.ok });
}

function exportRun(
  run: VerifiedRun,
  place: RunPlace,
  { cwd, home, clock }: Surroundings,
  flags: VerifyFlags & { export: string },
): Result<string> {
  const usual = join(home, 'receipt-key.pem');
  const named = flags.key === undefined ? (existsSync(usual) ? usual : undefined) : resolve(cwd, flags.key);
  const key = named === undefined ? ok(undefined) : readKey(named, 'private');
  if (!key.ok) return key;
  const records = run.files.flatMap(({ file, path }) =>
    existsSync(path) ? [{ name: file, hash: hashBytes(readFileSync(path)) }] : [],
  );
  if (records.length === 0) return usage(`Run ${place.id} has no files to make a statement about.`);
  const statement = makeStatement(run, { at: timestamp(clock), cwd, records });
  const envelope = seal(JSON.stringify(statement), key.value);
  const path = resolve(cwd, flags.export);
  const written = writeAtomic(path, `${JSON.stringify(envelope)}\n`);
  if (!written.ok) return written;
  return ok(
    key.value
      ? `Written to ${path}, signed by key ${nameKey(key.value)}.`
      : `Written to ${path}. It is not signed: give a key with --key.`,
  );
}

function verifyEnvelope(
  envelope: Envelope,
  { cwd }: Surroundings,
  { key: named, export: target }: VerifyFlags,
): Result<Checked> {
  if (target !== undefined) return usage('--export is for a run, and this is an envelope.');
  if (named === undefined)
    return usage('This is an envelope.', 'Name the public key of the one who made it: --key FILE.');
  const key = readKey(resolve(cwd, named), 'public');
  if (!key.ok) return key;
  const payload = openEnvelope(envelope, key.value);
  if (!payload.ok) return payload;
  const statement = parseStatement(payload.value);
  if (!statement.ok) return statement;
  return ok({
    text: renderStatement(statement.value, nameKey(key.value)),
    json: statement.value,
    isGood: statement.value.predicate.ok,
  });
}

/** A word that is not a run may be the path of a file. */
function describeFile(path: string): Result<never> | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const what = stat.isFile()
    ? 'a file, but neither an envelope (JSON with payloadType, payload and signatures) nor the transcript of a session'
    : 'not a file';
  return usage(
    `${path} is ${what}.`,
    'Expected the id of a session or run, a transcript, or a file that `cadre verify RUN --export FILE` wrote.',
  );
}

const maxEnvelopeBytes = 64 * 1024 * 1024;

const envelopeSchema = z.object({
  payloadType: z.string(),
  payload: z.string(),
  signatures: z.array(z.object({ keyid: z.string().default(''), sig: z.string() })),
});

/** Undefined where the path is not one. */
function readEnvelope(path: string): Envelope | undefined {
  if (path.endsWith('.jsonl')) return undefined;
  const text = readBoundedText(path, maxEnvelopeBytes);
  if (text === undefined) return undefined;
  try {
    const parsed = envelopeSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
