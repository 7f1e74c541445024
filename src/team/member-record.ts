import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../lib/fields/parse-json.ts';
import { replaceFile, writeAtomic } from '../lib/files/atomic.ts';
import { describeFileError } from '../lib/files/files.ts';
import { readSmallText } from '../lib/files/small-files.ts';
import { formatProcessName } from '../lib/files/temporary-names.ts';
import type { Machine } from '../lib/machine.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { permissionModes } from '../protocol/permission.ts';
import type { MemberRecord } from '../protocol/team.ts';
import type { TeamPlace } from './team-place.ts';

const text = z.string().max(10_000);
const record: z.ZodType<MemberRecord> = z.object({
  format: z.literal(1),
  name: text,
  team: text,
  incarnation: text,
  kind: z.enum(['lead', 'in-process', 'pane', 'session', 'program']),
  agentId: text.nullable(),
  sessionId: text,
  agentType: text.optional(),
  description: text.optional(),
  permissionMode: z.enum(permissionModes).optional(),
  colour: text,
  model: text.optional(),
  tools: z.array(text).max(1_000).optional(),
  cwd: text.optional(),
  pane: z.object({ executor: text, id: text }).optional(),
  wanted: z.enum(['running', 'ended']),
  state: z.enum(['starting', 'working', 'idle', 'waiting', 'stuck', 'suspended', 'dead', 'ended']),
  reason: text.optional(),
  stateSince: text,
  heartbeatAt: text,
  lastReport: text.optional(),
  joinedAt: text,
  waits: z
    .array(
      z.object({
        ...{ to: text, what: text, since: text },
        kind: z.enum(['mail', 'item', 'lease', 'approval', 'slot', 'budget', 'provider']),
      }),
    )
    .max(100)
    .optional(),
  withdrawn: z.literal(true).optional(),
});

const maxRecordBytes = 256 * 1024;

export function locateMember({ members }: TeamPlace, name: string): string {
  return join(members, `${name}.json`);
}

/** Undefined where there is none; `damaged` where it cannot be read as one. `wanted` is in a file of its own: the leader writes it. */
export function readMemberRecord(
  place: TeamPlace,
  name: string,
  { disk }: Machine,
): MemberRecord | 'damaged' | undefined {
  const path = locateMember(place, name);
  const content = readSmallText(path, maxRecordBytes, disk);
  if (content === undefined) return isThereAt(path, disk) ? 'damaged' : undefined;
  const found = record.safeParse(parseJson(content)).data;
  if (!found) return 'damaged';
  const wanted = readSmallText(locateWanted(place, name), 20, disk)?.trim();
  return wanted === 'running' || wanted === 'ended' ? { ...found, wanted } : found;
}

/** Synced: an incarnation must never be given twice, whatever happens. */
export function writeMemberRecord(place: TeamPlace, member: MemberRecord, machine: Machine): Result<void> {
  const path = locateMember(place, member.name);
  return writeAtomic(path, render(member), 0o600, nameTemporary(machine), undefined, machine.disk);
}

/** Replaced as a whole, and not synced: a state is worth nothing after a power cut. */
export function changeMemberRecord(place: TeamPlace, member: MemberRecord, machine: Machine): Result<void> {
  return replace(locateMember(place, member.name), render(member), machine);
}

export function writeWanted(
  place: TeamPlace,
  name: string,
  wanted: MemberRecord['wanted'],
  machine: Machine,
): Result<void> {
  const path = locateWanted(place, name);
  return writeAtomic(path, `${wanted}\n`, 0o600, nameTemporary(machine), undefined, machine.disk);
}

function locateWanted({ members }: TeamPlace, name: string): string {
  return join(members, `${name}.wanted`);
}

function replace(path: string, content: string, machine: Machine): Result<void> {
  const wanted = { bytes: Buffer.from(content), mode: 0o600, ending: nameTemporary(machine) };
  try {
    replaceFile(path, wanted, undefined, machine.disk).close();
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, path, 'write'));
  }
}

function nameTemporary(machine: Machine): string {
  return `${formatProcessName(machine.self(), machine.ids)}.new`;
}

function render(member: MemberRecord): string {
  return `${JSON.stringify(member, null, 2)}\n`;
}

function isThereAt(path: string, disk: Machine['disk']): boolean {
  try {
    return disk.stat(path) !== undefined;
  } catch {
    return true;
  }
}

/** Its pane is being opened: it reads its mail when its program has started. */
export function isOpening({ kind, state, wanted }: Pick<MemberRecord, 'kind' | 'state' | 'wanted'>): boolean {
  return kind === 'pane' && state === 'suspended' && wanted === 'running';
}
