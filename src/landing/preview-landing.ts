import { ok, type Result, usage } from '../lib/result.ts';
import type { CallPreview } from '../protocol/index.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import { planDrop } from './drop.ts';
import { prepareLanding } from './land.ts';
import type { LandingPlan } from './plan.ts';
import { renderToDrop } from './render.ts';
import { renderPlan } from './render-plan.ts';
import { withSealed } from './sealed-store.ts';
import type { Ground } from './types.ts';

/** What a call of the tool would land, for the question about it; the plan itself is what is then carried out. */
export async function previewLanding(
  ground: Ground,
  names: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Result<CallPreview>> {
  const plan = await prepareLanding(ground, { names, signal });
  if (!plan.ok) return plan;
  const { layers, empty, others, targetFails } = plan.value;
  const text = renderPlan(plan.value);
  if (targetFails !== undefined)
    return usage(`The gate already fails on ${plan.value.target.branch}:\n${targetFails}`);
  if (layers.length === 0)
    return usage(
      others.length + empty.length === 0 ? 'There are no worktrees to land.' : `Nothing can land.\n${text}`,
    );
  const changes = await renderChanges(ground, plan.value);
  if (!changes.ok) return changes;
  return ok({
    text: `${text}\n\n${changes.value}`,
    risk: { level: 'medium', reasons: [] },
    value: plan.value,
  });
}

/** In characters: more than this is not read in a question. */
const maxChanges = 400_000;

/** The whole diff of what would land, in the order of landing, from the very commits that a yes is for. */
function renderChanges(ground: Ground, { target, layers, to }: LandingPlan): Promise<Result<string>> {
  return withSealed({ from: target.commit, to }, ground, async ({ world, repository }) => {
    const git = bindGit(world, repository.top);
    const parts: string[] = [];
    let room = maxChanges;
    for (const [index, { candidate, commit }] of layers.entries()) {
      const before = layers[index - 1]?.commit ?? target.commit;
      const diff = await git(['diff', '--no-color', before, commit, '--'], { plainNames: true });
      if (!diff.ok) return diff;
      const text = diff.value.trimEnd();
      room -= text.length;
      const isTooLong = `The diff of ${candidate.name} is too long to be shown here: cadre worktree diff ${candidate.name}`;
      const heading = layers.length > 1 ? `# ${candidate.name}\n` : '';
      parts.push(room < 0 ? isTooLong : heading + text);
    }
    return ok(parts.join('\n'));
  });
}

export async function previewDrop(ground: Ground, names: readonly string[]): Promise<Result<CallPreview>> {
  const plan = await planDrop(ground, names);
  if (!plan.ok) return plan;
  const lost = plan.value.filter(({ isEmpty }) => !isEmpty).map(({ name }) => name);
  const reasons = lost.length > 0 ? [`work that was not landed is lost: ${lost.join(', ')}`] : [];
  return ok({
    text: `Permanently removed, with everything in them:\n${renderToDrop(plan.value)}`,
    risk: { level: lost.length > 0 ? 'high' : 'medium', reasons },
    value: plan.value,
  });
}
