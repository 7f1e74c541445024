import { countThings } from '../lib/text/count-things.ts';
import { visibleLine } from '../lib/text/text.ts';
import { formatClaim } from '../protocol/report-frame.ts';
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
  for (const text of run.notes) lines.push(`  note: ${text}`);
  lines.push(
    `  ${countThings(run.commands, 'command')} with an exit code, ${countThings(run.changed.length, 'changed file')}`,
  );
  for (const { agentId, summary, claims } of run.reports) {
    lines.push(`  report of ${agentId ?? 'the main agent'}: ${visibleLine(summary, maxLine)}`);
    for (const claim of claims) lines.push(`    ${formatClaim(claim)}`);
  }
  if (run.reports.length === 0) lines.push('  no claims: what its agents wrote in prose is unchecked');
  lines.push(run.ok ? 'Verified.' : 'NOT verified.');
  return `${lines.join('\n')}\n`;
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
    ...(predicate.notes ?? []).map((note) => `  note: ${visibleLine(note, maxLine)}`),
    ...predicate.records.flatMap(({ file, notes = [] }) =>
      notes.map((note) => `  note: ${visibleLine(`${file}: ${note}`, maxLine)}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}
