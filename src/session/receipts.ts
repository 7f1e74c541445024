import { timestamp } from '../lib/clock.ts';
import type { AgentReport, ReportRecord, Tool, WorkingDirectory } from '../protocol/index.ts';
import type { Claim, ResolvedClaim } from '../protocol/receipt.ts';
import type { EvidenceSource } from '../receipts/evidence.ts';
import type { ClaimContext } from '../receipts/judge.ts';
import { reportTool } from '../receipts/report-tool.ts';
import { locateAnchors } from '../store/layout.ts';
import { findEnteredWorktree } from '../workspace/workspace.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';

/** The tool for final reports, whose claims are compared with what this session recorded. */
export function receiptFeature(): SessionFeature {
  return {
    name: 'receipts',
    open(kernel) {
      return {
        tools: [
          reportTool(async (given, { agentId, toolUseId, directory }) => {
            const { claims, ...basis } = await compareClaims(kernel, given.claims, { agentId, directory });
            const report: AgentReport = { summary: given.summary, claims };
            note(kernel, {
              ...{ type: 'report', timestamp: timestamp(kernel.place.clock), toolUseId },
              ...(agentId === null ? {} : { agentId }),
              ...{ cwd: directory.current, report, ...basis },
            });
            return report;
          }) as Tool,
        ],
      };
    },
  };
}

const maxSettleMs = 2_000;

/** What its reader gets is what holds when the agent ends. Verdicts that changed are recorded, as a report of their own. */
export async function judgeReportAgain(
  kernel: Kernel,
  agentId: string,
  report: AgentReport,
): Promise<AgentReport> {
  const hands = kernel.roster.find(agentId)?.context.hands;
  if (!hands || report.claims.length === 0) return report;
  await hands.history.settleCommands?.(maxSettleMs);
  const { directory } = hands;
  const given = report.claims.map(({ claim }) => claim);
  const { claims, ...basis } = await compareClaims(kernel, given, { agentId, directory });
  if (claims.every(({ verdict }, index) => verdict === report.claims[index]?.verdict)) return report;
  const now = { summary: report.summary, claims };
  note(kernel, {
    ...{ type: 'report', timestamp: timestamp(kernel.place.clock), toolUseId: agentId, agentId },
    ...{ cwd: directory.current, report: now, ...basis },
  });
  return now;
}

/** The claims of a hand-off. The lead's transcript keeps them: the agent's is closed. */
export async function judgeHandoff(
  kernel: Kernel,
  given: readonly Claim[],
  { agentId, summary, ...ran }: Pick<ClaimSource, 'ran' | 'ranAt'> & { agentId: string; summary: string },
): Promise<ResolvedClaim[]> {
  const { claims, ...basis } = await compareClaims(kernel, given, { agentId, ...ran });
  kernel.log.append({
    ...{ type: 'report', timestamp: timestamp(kernel.place.clock), toolUseId: agentId, agentId },
    ...{ cwd: kernel.place.cwd, report: { summary, claims }, ...basis },
  });
  return claims;
}

/**
 * Compares an agent's claims with what this session recorded of it. `checks`: the commands that counted as the project's checks.
 * `directory` is where the agent is now, if that is known.
 */
export async function compareClaims(
  kernel: Kernel,
  claims: readonly Claim[],
  { agentId, directory, ran, ranAt }: ClaimSource,
): Promise<{ claims: ResolvedClaim[] } & ClaimBasis> {
  kernel.roster.find(null)?.context.hands.history.observe?.('outside', '');
  const [{ collectEvidence }, { resolveByAnchored }] = await Promise.all([
    import('../receipts/evidence.ts'),
    import('../receipts/resolve-claims.ts'),
  ]);
  const sources = await readSources(kernel, agentId, directory?.root);
  const start = findStart(kernel, agentId, sources, directory);
  const seen = sources.map(({ found, ...source }) => ({
    ...source,
    records: found.size === 0 ? source.records : source.records.filter((record) => !found.has(record)),
  }));
  const evidence = { all: collectEvidence(sources), anchored: collectEvidence(seen) };
  const own = sources.find((source) => source.agentId === agentId)?.records ?? [];
  const begun = own.find((record) => record.type === 'user')?.timestamp ?? ranAt;
  const { readProjectChecks } = await import('./project-checks.ts');
  // Where it started comes last: an agent cannot choose its project by changing the directory.
  const places = directory ? [directory, start] : [start];
  const basis: ClaimBasis = {
    ...readProjectChecks(kernel, places, evidence.all.changes),
    ...(ran ? { ran } : {}),
    ...(ran && begun ? { ranAt: begun } : {}),
  };
  if (claims.some(({ kind }) => kind === 'check')) {
    const { lookAfterChecks } = await import('./look-after-checks.ts');
    const look = await lookAfterChecks(kernel, { evidence: evidence.all, agentId, ...basis });
    if (look) basis.look = look;
  }
  return { claims: resolveByAnchored(claims, { agentId, ...basis }, evidence), ...basis };
}

/** What claims were compared with besides the records of calls and files: recorded, so that they can be compared again. */
type ClaimBasis = Pick<ReportRecord, 'checks' | 'redefined' | 'ran' | 'ranAt' | 'look'>;

interface ClaimSource {
  agentId: string | null;
  directory?: ClaimPlace;
  /** Checks that the harness ran itself, after everything that the claims are about. */
  ran?: ClaimContext['ran'];
  /** When these had ended, where no record of the agent tells it: it began after them. */
  ranAt?: string | undefined;
}

type ClaimPlace = Pick<WorkingDirectory, 'current' | 'root'>;

/** An agent in a worktree has the project's checks there, not in the user's checkout. */
function findStart(
  { place: { cwd, root } }: Kernel,
  agentId: string | null,
  sources: readonly EvidenceSource[],
  directory: ClaimPlace | undefined,
): ClaimPlace {
  const own = sources.find((source) => source.agentId === agentId);
  const state = own?.records.findLast((record) => record.type === 'agent-state');
  if (state) return { current: state.cwd, root: state.worktree?.path ?? root };
  const entered = directory && findEnteredWorktree(directory.current, root);
  return entered === undefined ? { current: cwd, root } : { current: entered, root: entered };
}

interface SessionSource extends EvidenceSource {
  /** Records that an earlier process left behind its last anchor, so that anybody may have changed them: they confirm nothing. */
  found: ReadonlySet<object>;
}

/** The lead's transcript has the changes of files and the ends of tasks; the agent's own, its calls and where it works. */
async function readSources(
  { log, identity, roster, place }: Kernel,
  agentId: string | null,
  root: string = place.cwd,
): Promise<SessionSource[]> {
  const { cwd, home, machine } = place;
  const live = roster.find(agentId)?.context.conversation.records ?? [];
  const none = new Set<object>();
  if (log.path === null) return [{ agentId, cwd: agentId === null ? cwd : root, records: live, found: none }];
  const [{ loadTranscript }, { readAnchors, listFound, isFound }, { leadFile, nameAgentFile }] =
    await Promise.all([
      import('../store/transcript.ts'),
      import('../store/anchors/anchors.ts'),
      import('../store/anchors/record-chain.ts'),
    ]);
  const anchors = readAnchors(locateAnchors(home, identity.id), machine.disk);
  const paths = new Map([
    [null, log.path],
    ...(agentId === null ? [] : [[agentId, identity.files.agentTranscript(agentId)] as const]),
  ]);
  const sources: SessionSource[] = [];
  for (const [id, path] of paths) {
    const name = id === null ? leadFile : nameAgentFile(id);
    const parts = listFound(anchors.filter(({ file }) => file === name));
    const found = new Set<object>();
    const loaded = await loadTranscript(path, undefined, (record, { offset, length }) => {
      if (isFound(parts, offset, length)) found.add(record);
    });
    const records = loaded.ok ? loaded.value.records : id === agentId ? live : [];
    sources.push({ agentId: id, cwd: id === null ? cwd : root, records, found });
  }
  return sources;
}

/** In the transcript of the agent that reports. A full disk costs the record, not the report. */
function note({ log, roster }: Kernel, record: ReportRecord): void {
  if (record.agentId === undefined) log.append(record);
  else roster.find(record.agentId)?.log?.append(record);
}
