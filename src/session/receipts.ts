import { timestamp } from '../lib/clock.ts';
import type { AgentReport, ReportRecord, Tool, WorkingDirectory } from '../protocol/index.ts';
import type { Claim, ResolvedClaim } from '../protocol/receipt.ts';
import type { EvidenceSource } from '../receipts/evidence.ts';
import { reportTool } from '../receipts/report-tool.ts';
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

/** Compares an agent's claims with what this session recorded of it. `checks`: the commands that counted as the project's checks. */
export async function compareClaims(
  kernel: Kernel,
  claims: readonly Claim[],
  { agentId, directory }: { agentId: string | null; directory: Pick<WorkingDirectory, 'current' | 'root'> },
): Promise<{ claims: ResolvedClaim[]; checks: Record<string, string[]> }> {
  const [{ collectEvidence }, { resolveClaims }] = await Promise.all([
    import('../receipts/evidence.ts'),
    import('../receipts/resolve-claims.ts'),
  ]);
  const checks = await findCheckCommands(kernel, directory.current);
  const evidence = collectEvidence(await readSources(kernel, agentId, directory.root));
  return { claims: resolveClaims(claims, { evidence, agentId, checks }), checks };
}

async function findCheckCommands(
  { place, settings }: Kernel,
  cwd: string,
): Promise<Record<string, string[]>> {
  const [{ findChecks }, { listCheckCommands }, { systemProjectFiles }] = await Promise.all([
    import('../checks/find-checks.ts'),
    import('../checks/check-findings.ts'),
    import('../checks/project-files.ts'),
  ]);
  const found = findChecks({ cwd, root: place.root, listing: systemProjectFiles, settings: settings.checks });
  return listCheckCommands(found);
}

/** The lead's transcript has the changes of files and the ends of tasks; the agent's own, its calls. */
async function readSources(
  { log, identity, roster, place }: Kernel,
  agentId: string | null,
  root: string,
): Promise<EvidenceSource[]> {
  const live = roster.find(agentId)?.context.conversation.records ?? [];
  const cwd = agentId === null ? place.cwd : root;
  if (log.path === null) return [{ agentId, cwd, records: live }];
  const { loadTranscript } = await import('../store/transcript.ts');
  const paths = new Map([
    [null, log.path],
    ...(agentId === null ? [] : [[agentId, identity.files.agentTranscript(agentId)] as const]),
  ]);
  const sources: EvidenceSource[] = [];
  for (const [id, path] of paths) {
    const loaded = await loadTranscript(path);
    const records = loaded.ok ? loaded.value.records : id === agentId ? live : [];
    sources.push({ agentId: id, cwd: id === agentId ? cwd : place.cwd, records });
  }
  return sources;
}

/** In the transcript of the agent that reports. A full disk costs the record, not the report. */
function note({ log, roster }: Kernel, record: ReportRecord): void {
  if (record.agentId === undefined) log.append(record);
  else roster.find(record.agentId)?.log?.append(record);
}
