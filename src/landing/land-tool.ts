import { followWork } from '../lib/follow-work.ts';
import { form, type OutputOf } from '../lib/form/form.ts';
import { ok, type Problem, type Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import {
  defineTool,
  errorResult,
  type Tool,
  type ToolProgress,
  type ToolResult,
  textResult,
} from '../protocol/index.ts';
import { nameFiles } from '../workspace/worktrees/words.ts';
import { announceGate } from './announce-gate.ts';
import type { ToDrop } from './drop.ts';
import description from './land.md' with { type: 'text' };
import type { LandingPlan } from './plan.ts';
import type { Ground } from './types.ts';

const schema = form.strictObject({
  action: form.enum(['list', 'diff', 'forecast', 'land', 'drop']),
  names: form.array(form.string().min(1).max(200)).max(100).optional().describe('Worktrees, or their agents'),
});

type Input = OutputOf<typeof schema>;

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
    async preview(input, { directory, signal, report }) {
      if (input.action !== 'land' && input.action !== 'drop') return undefined;
      const ground = await groundAt(directory.current);
      if (!ground.ok) return { fails: ground.problem.message };
      const { previewDrop, previewLanding } = await import('./preview-landing.ts');
      const shown =
        input.action === 'drop'
          ? await previewDrop(ground.value, input.names ?? [])
          : await previewLanding(
              { ...announceGate(ground.value, (text) => report?.({ text })), refuseProtected },
              input.names,
              signal,
            );
      return shown.ok ? shown.value : { fails: explain(shown.problem) };
    },
    async *run(input, { directory, signal, previewed }) {
      const ground = await groundAt(directory.current);
      if (!ground.ok) return errorResult(ground.problem.message);
      const done = yield* followWork<ToolProgress, Result<ToolResult>>((report) =>
        act(
          announceGate(ground.value, (text) => report({ text })),
          input,
          signal,
          previewed,
        ),
      );
      return done.ok ? done.value : errorResult(explain(done.problem));
    },
  });
}

function explain({ message, hint = '' }: Problem): string {
  return `${message} ${hint}`.trim();
}

async function act(
  ground: Ground,
  { action, names }: Input,
  signal: AbortSignal,
  previewed: unknown,
): Promise<Result<ToolResult>> {
  const { renderForecast } = await import('./render.ts');
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
  return action === 'drop'
    ? dropAll(ground, names ?? [], previewed as ToDrop[] | undefined)
    : landAll({ ...ground, refuseProtected }, names, signal, previewed as LandingPlan | undefined);
}

async function dropAll(
  ground: Ground,
  names: readonly string[],
  shown: readonly ToDrop[] | undefined,
): Promise<Result<ToolResult>> {
  const { drop, planDrop } = await import('./drop.ts');
  const { renderDropped } = await import('./render.ts');
  const plan = shown ? ok(shown) : await planDrop(ground, names);
  if (!plan.ok) return plan;
  const dropped = await drop(ground, plan.value);
  return ok(textResult(renderDropped(dropped), { dropped }));
}

/** What the user was shown, and nothing else; where nobody was asked, what there is. */
async function landAll(
  ground: Ground,
  names: readonly string[] | undefined,
  signal: AbortSignal,
  shown: LandingPlan | undefined,
): Promise<Result<ToolResult>> {
  const { carryOutLanding, land } = await import('./land.ts');
  const { renderReport } = await import('./render.ts');
  const landed = shown
    ? await carryOutLanding(shown, ground, { signal })
    : await land(ground, { agree: async () => true, signal, names });
  if (!landed.ok) return landed;
  const isWhole = landed.value.refusal === undefined && landed.value.landings.every(isGood);
  const text = renderReport(landed.value);
  return ok({ ...(isWhole ? textResult(text) : errorResult(text)), data: landed.value });
}

/** A rule may have allowed the call, so nobody may have seen what would land. */
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
