import { form } from '../lib/form/form.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { AgentReport, Claim } from '../protocol/receipt.ts';
import { countClaims, formatClaim } from '../protocol/report-frame.ts';
import { defineTool, type Tool, type ToolContext, textResult } from '../protocol/tool.ts';
import { claimsSchema } from './claims.ts';
import description from './report.md' with { type: 'text' };

export const reportToolName = 'Report';

const maxSummary = 8_000;
const maxSettleMs = 2_000;

const schema = form.strictObject({
  summary: form.string().trim().min(1).max(maxSummary).describe('What was done and what was found'),
  claims: claimsSchema,
});

/** Compares claims with the records, and records what came of it. */
export type ResolveReport = (
  given: { summary: string; claims: Claim[] },
  context: Pick<ToolContext, 'agentId' | 'toolUseId' | 'directory'>,
) => Promise<AgentReport>;

/** The tool for final reports. It changes nothing but the report. */
export function reportTool(resolve: ResolveReport): Tool<typeof schema> {
  return defineTool({
    name: reportToolName,
    description: description.trim(),
    schema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    effect: () => 'repeatable',
    summary: ({ summary }) => visibleLine(summary, 300),
    async *run(input, context) {
      // What commands changed is recorded a moment after their end.
      await context.history.settleCommands?.(maxSettleMs);
      const report = await resolve(input, context);
      const lines = report.claims.map((claim) => `- ${formatClaim(claim)}`);
      const text =
        report.claims.length === 0
          ? 'Submitted without claims: your report is marked as unchecked.'
          : `Submitted: ${countClaims(report.claims)}.\n${lines.join('\n')}`;
      return textResult(text, { agentReport: report });
    },
  });
}
