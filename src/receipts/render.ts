import { countThings } from '../lib/text/count-things.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { AgentReport, ResolvedClaim } from '../protocol/receipt.ts';
import type { RunStatement } from './statement.ts';
import type { VerifiedRun } from './verify-run.ts';

const maxLine = 300;

export function renderRun(run: VerifiedRun): string {
  const lines = [`${run.kind === 'session' ? 'Session' : 'Workflow run'} ${run.id}`];
  for (const { file, lines: count, faults, notes } of run.files) {
    const state = faults.length > 0 ? 'NOT AS WRITTEN' : 'as written';
    lines.push(`  ${file}: ${state}, ${countThings(count, 'line')} verified`);
    for (const text of faults) lines.push(`    fault: ${text}`);
    for (const text of notes) lines.push(`    note: ${text}`);
  }
  for (const text of run.faults) lines.push(`  fault: ${text}`);
  lines.push(
    `  ${countThings(run.commands, 'command')} with an exit code, ${countThings(run.changed.length, 'changed file')}`,
  );
  for (const { agentId, summary, claims } of run.reports) {
    lines.push(`  report of ${agentId ?? 'the main agent'}: ${visibleLine(summary, maxLine)}`);
    for (const claim of claims) lines.push(`    ${renderClaim(claim)}`);
  }
  if (run.reports.length === 0) lines.push('  no claims: what its agents wrote in prose is unchecked');
  lines.push(run.ok ? 'Verified.' : 'NOT verified.');
  return `${lines.join('\n')}\n`;
}

/** One claim on one line, safe to show: a model wrote it. */
export function renderClaim({ claim, verdict, reason }: ResolvedClaim): string {
  const about = claim.path ?? claim.call ?? '';
  return visibleLine(
    `${verdict}: ${claim.kind} ${about} ${claim.expect}: ${reason}`.replace(/ +/g, ' '),
    maxLine,
  );
}

/** How many claims hold, for a line of a screen or the frame of a result. */
export function summarizeReport(report: AgentReport | undefined): string {
  const claims = report?.claims ?? [];
  if (claims.length === 0) return 'unchecked: it made no claims that can be compared with the records';
  const count = (verdict: ResolvedClaim['verdict']) => claims.filter((one) => one.verdict === verdict).length;
  const bad = (['contradicted', 'unsupported'] as const).filter((verdict) => count(verdict) > 0);
  return [
    `${count('confirmed')} of ${countThings(claims.length, 'claim')} confirmed`,
    ...bad.map((verdict) => `${count(verdict)} ${verdict}`),
  ].join(', ');
}

export function renderStatement({ subject, predicate }: RunStatement, keyId: string): string {
  const lines = [
    `Signed by key ${keyId}.`,
    `Run ${visibleLine(predicate.run, maxLine)}, verified at ${visibleLine(predicate.verifiedAt, 60)} by Cadre ${visibleLine(predicate.version, 60)}: ${predicate.ok ? 'everything as recorded' : 'NOT as recorded'}`,
    ...subject.map(({ name, digest }) => `  sha256:${digest.sha256}  ${visibleLine(name, maxLine)}`),
    ...predicate.deleted.map((name) => `  deleted  ${visibleLine(name, maxLine)}`),
    ...predicate.claims.map(
      ({ claim, verdict }) =>
        `  ${visibleLine(`${verdict}: ${claim.kind} ${claim.path ?? claim.call ?? ''} ${claim.expect}`, maxLine)}`,
    ),
    ...[...predicate.faults, ...predicate.records.flatMap(({ faults }) => faults)].map(
      (fault) => `  fault: ${visibleLine(fault, maxLine)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
