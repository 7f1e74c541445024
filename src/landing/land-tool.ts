import { z } from 'zod';
import { ok, type Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { defineTool, errorResult, type Tool, type ToolResult, textResult } from '../protocol/index.ts';
import { nameFiles } from '../workspace/worktrees/words.ts';
import description from './land.md' with { type: 'text' };
import type { Ground } from './types.ts';

const schema = z.strictObject({
  action: z.enum(['list', 'diff', 'forecast', 'land', 'drop']),
  names: z
    .array(z.string().min(1).max(200))
    .max(100)
    .optional()
    .describe('Worktrees, or the agents they belong to'),
});

type Input = z.output<typeof schema>;

/** Landing for a coordinator. Actions that move the user's branch or discard work need approval. */
export function landTool(groundAt: (cwd: string) => Promise<Result<Ground>>): Tool<typeof schema> {
  return defineTool({
    name: 'Land',
    description: description.trim(),
    schema,
    access({ action }, cwd) {
      if (action !== 'land' && action !== 'drop') return [{ kind: 'none' }];
      const asks =
        action === 'land' ? 'it moves the branch that is checked out' : 'it removes work that was not landed';
      return [
        { kind: 'none', asks },
        { kind: 'write', path: cwd },
      ];
    },
    concurrent: ({ action }) => action !== 'land' && action !== 'drop',
    summary: ({ action, names }) => visibleLine([action, ...(names ?? [])].join(' '), 200),
    // biome-ignore lint/correctness/useYield: the result is reported at the end
    async *run(input, { directory, signal }) {
      const ground = await groundAt(directory.current);
      if (!ground.ok) return errorResult(ground.problem.message);
      const done = await act(ground.value, input, signal);
      return done.ok
        ? done.value
        : errorResult([done.problem.message, done.problem.hint ?? ''].join(' ').trim());
    },
  });
}

async function act(
  ground: Ground,
  { action, names }: Input,
  signal: AbortSignal,
): Promise<Result<ToolResult>> {
  const { renderDropped, renderForecast, renderReport } = await import('./render.ts');
  if (action === 'list' || action === 'forecast') {
    const { forecast } = await import('./forecast.ts');
    const { endedBy } = await import('./look-only.ts');
    const seen = await forecast(endedBy(signal, ground), names);
    return seen.ok ? ok(textResult(renderForecast(seen.value), seen.value)) : seen;
  }
  if (action === 'diff') {
    const { endedBy } = await import('./look-only.ts');
    return showDiffs(endedBy(signal, ground), names);
  }
  if (action === 'drop') {
    if (!names || names.length === 0) return ok(errorResult('List the worktrees to drop in `names`.'));
    const { drop } = await import('./drop.ts');
    const dropped = await drop(ground, names);
    return dropped.ok ? ok(textResult(renderDropped(dropped.value), { dropped: dropped.value })) : dropped;
  }
  const { land } = await import('./land.ts');
  // The user was asked before the call ran.
  const landed = await land(
    { ...ground, refuseProtected },
    { agree: async () => true, signal, ...(names ? { names } : {}) },
  );
  if (!landed.ok) return landed;
  const isWhole = landed.value.refusal === undefined && landed.value.landings.every(isGood);
  const text = renderReport(landed.value);
  return ok({ ...(isWhole ? textResult(text) : errorResult(text)), data: landed.value });
}

/** The user who approved the call has not seen what would land. */
function refuseProtected(paths: readonly string[], name: string): string {
  return `it changes protected paths (${nameFiles(paths)}), from which other programs read code or settings. The user can review it and land it: cadre worktree land ${name}`;
}

function isGood({ status }: { status: string }): boolean {
  return status === 'landed' || status === 'empty';
}

async function showDiffs(ground: Ground, names: readonly string[] | undefined): Promise<Result<ToolResult>> {
  const { diffWorktree } = await import('./drop.ts');
  const { findWorktrees } = await import('./candidates.ts');
  const found = findWorktrees(ground, names);
  if (!found.ok) return found;
  const parts: string[] = [];
  for (const record of found.value) {
    const shown = await diffWorktree(ground, record);
    if (!shown.ok) return shown;
    parts.push(`# ${record.slug}\n${shown.value}`);
  }
  return ok(textResult(parts.join('\n') || 'There are no worktrees.'));
}
