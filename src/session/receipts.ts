import { timestamp } from '../lib/clock.ts';
import type { AgentReport, ReportRecord, Tool, WorkingDirectory } from '../protocol/index.ts';
import type { CheckCommands, Claim, ResolvedClaim } from '../protocol/receipt.ts';
import type { EvidenceSource } from '../receipts/evidence.ts';
import type { ClaimContext } from '../receipts/judge.ts';
import { reportTool } from '../receipts/report-tool.ts';
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
            const { claims, checks } = await compareClaims(kernel, given.claims, { agentId, directory });
            const report: AgentReport = { summary: given.summary, claims };
            note(kernel, {
              ...{ type: 'report', timestamp: timestamp(kernel.place.clock), toolUseId },
              ...(agentId === null ? {} : { agentId }),
              ...{ cwd: directory.current, report, checks },
            });
            return report;
          }) as Tool,
        ],
      };
    },
  };
}

/** The claims of a hand-off. The lead's transcript keeps them: the agent's is closed. */
export async function judgeHandoff(
  kernel: Kernel,
  given: readonly Claim[],
  { agentId, summary, ran }: Required<Pick<ClaimSource, 'ran'>> & { agentId: string; summary: string },
): Promise<ResolvedClaim[]> {
  const { claims, checks } = await compareClaims(kernel, given, { agentId, ran });
  kernel.log.append({
    ...{ type: 'report', timestamp: timestamp(kernel.place.clock), toolUseId: agentId, agentId },
    ...{ cwd: kernel.place.cwd, report: { summary, claims }, checks },
    ...(ran ? { ran } : {}),
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
  { agentId, directory, ran }: ClaimSource,
): Promise<{ claims: ResolvedClaim[]; checks: CheckCommands }> {
  const [{ collectEvidence }, { resolveClaims }] = await Promise.all([
    import('../receipts/evidence.ts'),
    import('../receipts/resolve-claims.ts'),
  ]);
  const sources = await readSources(kernel, agentId, directory?.root);
  const start = findStart(kernel, agentId, sources, directory);
  const checks = {
    ...(directory && (await findCheckCommands(kernel, directory))),
    // Where it started comes first: an agent cannot choose its project by changing the directory.
    ...(await findCheckCommands(kernel, start)),
  };
  const evidence = collectEvidence(sources);
  return { claims: resolveClaims(claims, { evidence, agentId, checks, ran }), checks };
}

interface ClaimSource {
  agentId: string | null;
  directory?: ClaimPlace;
  /** Checks that the harness ran itself, after everything that the claims are about. */
  ran?: ClaimContext['ran'];
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

async function findCheckCommands({ settings }: Kernel, place: ClaimPlace): Promise<CheckCommands> {
  const [{ findChecks }, { listCheckCommands }, { systemProjectFiles }] = await Promise.all([
    import('../checks/find-checks.ts'),
    import('../checks/check-findings.ts'),
    import('../checks/project-files.ts'),
  ]);
  const { current: cwd, root } = place;
  return listCheckCommands(findChecks({ cwd, root, listing: systemProjectFiles, settings: settings.checks }));
}

/** The lead's transcript has the changes of files and the ends of tasks; the agent's own, its calls and where it works. */
async function readSources(
  { log, identity, roster, place: { cwd } }: Kernel,
  agentId: string | null,
  root: string = cwd,
): Promise<EvidenceSource[]> {
  const live = roster.find(agentId)?.context.conversation.records ?? [];
  if (log.path === null) return [{ agentId, cwd: agentId === null ? cwd : root, records: live }];
  const { loadTranscript } = await import('../store/transcript.ts');
  const paths = new Map([
    [null, log.path],
    ...(agentId === null ? [] : [[agentId, identity.files.agentTranscript(agentId)] as const]),
  ]);
  const sources: EvidenceSource[] = [];
  for (const [id, path] of paths) {
    const loaded = await loadTranscript(path);
    const records = loaded.ok ? loaded.value.records : id === agentId ? live : [];
    sources.push({ agentId: id, cwd: id === null ? cwd : root, records });
  }
  return sources;
}

/** In the transcript of the agent that reports. A full disk costs the record, not the report. */
function note({ log, roster }: Kernel, record: ReportRecord): void {
  if (record.agentId === undefined) log.append(record);
  else roster.find(record.agentId)?.log?.append(record);
}
