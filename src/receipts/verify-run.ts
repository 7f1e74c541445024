import { basename, join } from 'node:path';
import { type Disk, systemDisk } from '../lib/files/disk.ts';
import { countThings } from '../lib/text/count-things.ts';
import type { AgentReport, ResolvedClaim } from '../protocol/receipt.ts';
import { isFound, readAnchorLog } from '../store/anchors/anchors.ts';
import { leadFile } from '../store/anchors/record-chain.ts';
import { loadTranscript } from '../store/transcript.ts';
import { agentTranscripts } from '../store/transcript-files.ts';
import {
  collectEvidence,
  type Evidence,
  type EvidenceRecord,
  type EvidenceSource,
  type SeenCall,
} from './evidence.ts';
import { resolveByAnchored, withoutAnchor } from './resolve-claims.ts';
import { type ChainCheck, type RunFile, verifyChain } from './verify-chain.ts';
import { verifyStored } from './verify-stored.ts';

/** Where the files of a run are. */
export interface RunPlace {
  id: string;
  kind: 'session' | 'workflow';
  /** The session's transcript, or the workflow's journal. */
  main: string;
  /** The session's directory; unused for a workflow. */
  directory: string;
  anchors: string;
  /** Of a workflow: the sessions in which its agents worked. */
  sessions?: readonly RunSession[];
}

export interface RunSession {
  id: string;
  /** Undefined: its files are missing. */
  place: RunPlace | undefined;
  /** Those of the run. */
  agents: ReadonlySet<string>;
}

export interface VerifiedReport {
  agentId: string | null;
  toolUseId: string;
  summary: string;
  claims: ResolvedClaim[];
}

export interface VerifiedRun {
  id: string;
  kind: RunPlace['kind'];
  /** No file was changed and no claim is contradicted or unsupported. */
  ok: boolean;
  files: ChainCheck[];
  /** Outputs and kept contents that are not what the records say. */
  faults: string[];
  /** What could not be compared, and is no fault: a reader should know. */
  notes: string[];
  reports: VerifiedReport[];
  /** Files that the run changed: hash before and after. */
  changed: { path: string; before: string | null; after: string | null }[];
  /** Commands that ran, with what was seen of them. */
  commands: number;
}

/** Checks a run again from its files: the chains of hashes, what they refer to, and every claim. */
export async function verifyRun(place: RunPlace, disk: Disk = systemDisk): Promise<VerifiedRun> {
  const own = await verifyFiles(place, undefined, disk);
  const parts = await Promise.all(
    (place.sessions ?? []).map(async (session) => {
      const found = session.place && (await verifyFiles(session.place, session.agents, disk));
      return found ? nameFiles(found, session.id) : missingSession(own, session.id);
    }),
  );
  return parts.reduce(joinRuns, own);
}

/** Files of several sessions have the same names. */
function nameFiles(run: VerifiedRun, session: string): VerifiedRun {
  return {
    ...run,
    files: run.files.map((file) => ({ ...file, file: `${session.slice(0, 8)}/${file.file}` })),
  };
}

function missingSession({ id, kind }: VerifiedRun, session: string): VerifiedRun {
  const fault = `Session ${session}, in which its agents worked, is missing.`;
  return {
    id,
    kind,
    ok: false,
    files: [],
    faults: [fault],
    notes: [],
    reports: [],
    changed: [],
    commands: 0,
  };
}

function joinRuns(run: VerifiedRun, part: VerifiedRun): VerifiedRun {
  return {
    ...{ id: run.id, kind: run.kind, ok: run.ok && part.ok },
    files: [...run.files, ...part.files],
    faults: [...run.faults, ...part.faults],
    notes: [...run.notes, ...part.notes],
    reports: [...run.reports, ...part.reports],
    changed: joinChanges(run.changed, part.changed),
    commands: run.commands + part.commands,
  };
}

/** A file that was changed in several sessions: from before the first to after the last. */
function joinChanges(before: VerifiedRun['changed'], later: VerifiedRun['changed']): VerifiedRun['changed'] {
  const joined = new Map(before.map((change) => [change.path, change]));
  for (const change of later)
    joined.set(change.path, { ...change, before: joined.get(change.path)?.before ?? change.before });
  return [...joined.values()];
}

/** `only`: what these agents of a session did, and nothing else of it. */
async function verifyFiles(
  place: RunPlace,
  only: ReadonlySet<string> | undefined,
  disk: Disk,
): Promise<VerifiedRun> {
  const { anchors, damaged } = readAnchorLog(place.anchors, disk);
  const files = listFiles(place, new Set(anchors.map(({ file }) => file)), only);
  const checks: ChainCheck[] = [];
  for (const file of files)
    checks.push(
      await verifyChain(
        file,
        anchors.filter((anchor) => anchor.file === file.name),
        disk,
      ),
    );
  const read =
    place.kind === 'session'
      ? await readSources(files, checks, disk)
      : { sources: [], anchored: [], faults: [] as string[] };
  const all = collectEvidence(read.sources);
  const evidence = collectEvidence(read.anchored);
  const isOwn = (agentId: string | null) => only === undefined || (agentId !== null && only.has(agentId));
  const stored = await verifyStored(place.directory, all, isOwn);
  const reports = resolveReports(read, { all, anchored: evidence }).filter(({ agentId }) => isOwn(agentId));
  const faults = [...read.faults, ...stored.faults];
  const isHeld = reports.every(({ claims }) => claims.every(({ verdict }) => verdict === 'confirmed'));
  return {
    ...{ id: place.id, kind: place.kind },
    ok: faults.length === 0 && checks.every((check) => check.faults.length === 0) && isHeld,
    ...{ files: checks, faults, notes: [...describeDamaged(place, damaged), ...stored.notes], reports },
    changed: listChanged({ changes: evidence.changes.filter(({ agentId }) => isOwn(agentId)) }),
    commands: evidence.calls.filter(({ receipt, agentId }) => receipt !== undefined && isOwn(agentId)).length,
  };
}

/** A kill tears a line, and a change by hand may spare the others: what it covered, a later one may cover too. */
function describeDamaged({ anchors }: RunPlace, count: number): string[] {
  return count === 0
    ? []
    : [
        `${countThings(count, 'line')} of the anchors cannot be read, as after a kill, and cover nothing: ${anchors}`,
      ];
}

/** Those that exist and those that an anchor names: one that is missing is a fault. */
function listFiles(
  { kind, main, directory }: RunPlace,
  anchored: ReadonlySet<string>,
  only: ReadonlySet<string> | undefined,
): RunFile[] {
  if (kind === 'workflow') return [{ name: basename(main), path: main }];
  const folder = join(directory, 'subagents');
  const names = new Set([
    ...[...anchored].filter((name) => /^agent-[A-Za-z0-9_-]{1,100}\.jsonl$/.test(name)),
    ...agentTranscripts(folder).map((path) => basename(path)),
  ]);
  const agents = [...names]
    .filter((name) => only === undefined || only.has(readAgentId(name)))
    .sort()
    .map((name) => ({ name, path: join(folder, name) }));
  // A session that only runs a workflow has no turns, and is anchored when it ends; its agents are anchored with each of theirs.
  return [{ name: leadFile, path: main, mayLackAnchor: only !== undefined }, ...agents];
}

function readAgentId(file: string): string {
  return file.slice('agent-'.length, -'.jsonl'.length);
}

interface ReadSources {
  sources: EvidenceSource[];
  /** The same, with the records only that an anchor covers. */
  anchored: EvidenceSource[];
  faults: string[];
}

async function readSources(
  files: readonly RunFile[],
  checks: readonly ChainCheck[],
  disk: Disk,
): Promise<ReadSources> {
  const sources: EvidenceSource[] = [];
  const anchored: EvidenceSource[] = [];
  const faults: string[] = [];
  for (const { name, path } of files) {
    const { parts = [], found = [] } = checks.find(({ file }) => file === name) ?? {};
    const covered: EvidenceRecord[] = [];
    const loaded = await loadTranscript(path, disk, (record, { offset, length }) => {
      const isCovered = parts.some(({ from, to }) => offset >= from && offset + length <= to);
      if (isCovered && !isFound(found, offset, length)) covered.push(record);
    });
    // A missing file is a fault of its chain already.
    if (!loaded.ok) {
      if (disk.stat(path)) faults.push(loaded.problem.message);
      continue;
    }
    const agentId = name === leadFile ? null : readAgentId(name);
    const cwd = loaded.value.header?.cwd ?? '/';
    sources.push({ agentId, cwd, records: loaded.value.records });
    anchored.push({ agentId, cwd, records: covered });
  }
  return { sources, anchored, faults };
}

/** Only what was known when a report was given is evidence for it: later calls could make it true afterwards. */
function resolveReports(
  { sources, anchored }: ReadSources,
  evidence: { all: Evidence; anchored: Evidence },
): VerifiedReport[] {
  const covered = new Set<object>(anchored.flatMap(({ records }) => records));
  return sources.flatMap(({ agentId: writer, records }) =>
    records.flatMap((record) => {
      if (record.type !== 'report') return [];
      // That of a hand-off is in the lead's transcript.
      const { agentId = writer, toolUseId, report, timestamp, checks, redefined, ran, ranAt, look } = record;
      const given = { agentId, checks, redefined, ran, ranAt, look };
      const resolved = resolveByAnchored(listClaims(report), given, {
        all: limitTo(evidence.all, timestamp),
        anchored: limitTo(evidence.anchored, timestamp),
      });
      const claims = covered.has(record)
        ? resolved
        : resolved.map((claim) => (claim.verdict === 'confirmed' ? withoutAnchor(claim) : claim));
      return [{ agentId, toolUseId, summary: report.summary, claims }];
    }),
  );
}

function listClaims({ claims }: AgentReport): ResolvedClaim['claim'][] {
  return claims.map(({ claim }) => claim);
}

export function limitTo({ calls, changes, directories }: Evidence, at: string): Evidence {
  return {
    calls: calls.filter((call) => call.at <= at).map((call) => withoutLaterEnd(call, at)),
    changes: changes.filter((change) => change.at <= at),
    directories,
  };
}

/** A command in the background may have ended afterwards. */
function withoutLaterEnd(call: SeenCall, at: string): SeenCall {
  const isLater = call.receipt?.endedAt !== undefined && call.receipt.endedAt > at;
  return isLater ? { ...call, receipt: undefined } : call;
}

export function listChanged({ changes }: Pick<Evidence, 'changes'>): VerifiedRun['changed'] {
  const first = new Map<string, string | null>();
  const last = new Map<string, string | null | undefined>();
  for (const { path, before, after } of changes) {
    if (!first.has(path)) first.set(path, before);
    last.set(path, after);
  }
  return [...last].flatMap(([path, after]) => {
    const before = first.get(path) ?? null;
    return after === undefined || after === before ? [] : [{ path, before, after }];
  });
}
