import { basename, join } from 'node:path';
import { type Disk, systemDisk } from '../lib/files/disk.ts';
import type { AgentReport, ResolvedClaim } from '../protocol/receipt.ts';
import { readAnchors } from '../store/anchors/anchors.ts';
import { leadFile } from '../store/anchors/record-chain.ts';
import { loadTranscript } from '../store/transcript.ts';
import { agentTranscripts } from '../store/transcript-files.ts';
import { collectEvidence, type Evidence, type EvidenceRecord, type EvidenceSource } from './evidence.ts';
import { resolveClaims } from './resolve-claims.ts';
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
  reports: VerifiedReport[];
  /** Files that the run changed: hash before and after. */
  changed: { path: string; before: string | null; after: string | null }[];
  /** Commands that ran, with what was seen of them. */
  commands: number;
}

/** Checks a run again from its files: the chains of hashes, what they refer to, and every claim. */
export async function verifyRun(place: RunPlace, disk: Disk = systemDisk): Promise<VerifiedRun> {
  const anchors = readAnchors(place.anchors, disk);
  const files = listFiles(place, new Set(anchors.map(({ file }) => file)));
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
  const stored = await verifyStored(place.directory, all);
  const reports = resolveReports(read, { all, anchored: evidence });
  const faults = [...read.faults, ...stored];
  const isHeld = reports.every(({ claims }) => claims.every(({ verdict }) => verdict === 'confirmed'));
  return {
    ...{ id: place.id, kind: place.kind },
    ok: faults.length === 0 && checks.every((check) => check.faults.length === 0) && isHeld,
    ...{ files: checks, faults, reports },
    changed: listChanged(evidence),
    commands: evidence.calls.filter(({ receipt }) => receipt !== undefined).length,
  };
}

/** Those that exist and those that an anchor names: one that is missing is a fault. */
function listFiles({ kind, main, directory }: RunPlace, anchored: ReadonlySet<string>): RunFile[] {
  if (kind === 'workflow') return [{ name: basename(main), path: main }];
  const folder = join(directory, 'subagents');
  const names = new Set([
    ...[...anchored].filter((name) => /^agent-[A-Za-z0-9_-]{1,100}\.jsonl$/.test(name)),
    ...agentTranscripts(folder).map((path) => basename(path)),
  ]);
  const agents = [...names].sort().map((name) => ({ name, path: join(folder, name) }));
  return [{ name: leadFile, path: main }, ...agents];
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
    const parts = checks.find(({ file }) => file === name)?.parts ?? [];
    const covered: EvidenceRecord[] = [];
    const loaded = await loadTranscript(path, disk, (record, { offset, length }) => {
      if (parts.some(({ from, to }) => offset >= from && offset + length <= to)) covered.push(record);
    });
    // A missing file is a fault of its chain already.
    if (!loaded.ok) {
      if (disk.stat(path)) faults.push(loaded.problem.message);
      continue;
    }
    const agentId = name === leadFile ? null : name.slice('agent-'.length, -'.jsonl'.length);
    const cwd = loaded.value.header?.cwd ?? '/';
    sources.push({ agentId, cwd, records: loaded.value.records });
    anchored.push({ agentId, cwd, records: covered });
  }
  return { sources, anchored, faults };
}

/**
 * Only what was known when a report was given is evidence for it: later calls could make it true afterwards. All records can
 * contradict a claim; only those that an anchor covers can confirm it.
 */
function resolveReports(
  { sources, anchored }: ReadSources,
  evidence: { all: Evidence; anchored: Evidence },
): VerifiedReport[] {
  const covered = new Set<object>(anchored.flatMap(({ records }) => records));
  return sources.flatMap(({ agentId, records }) =>
    records.flatMap((record) => {
      if (record.type !== 'report') return [];
      const { toolUseId, report, timestamp, checks } = record;
      const judge = (seen: Evidence) =>
        resolveClaims(listClaims(report), { evidence: limitTo(seen, timestamp), agentId, checks });
      const shown = judge(evidence.anchored);
      const claims = judge(evidence.all).map((claim, index) =>
        claim.verdict !== 'confirmed' || (covered.has(record) && shown[index]?.verdict === 'confirmed')
          ? claim
          : { ...claim, verdict: 'unsupported' as const, reason: `${claim.reason} ${notAnchored}` },
      );
      return [{ agentId, toolUseId, summary: report.summary, claims }];
    }),
  );
}

const notAnchored = 'The records of that were written after the last anchor and cannot be verified.';

function listClaims({ claims }: AgentReport): ResolvedClaim['claim'][] {
  return claims.map(({ claim }) => claim);
}

export function limitTo({ calls, changes, directories }: Evidence, at: string): Evidence {
  return {
    calls: calls.filter((call) => call.at <= at),
    changes: changes.filter((change) => change.at <= at),
    directories,
  };
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
