import { visible } from '../lib/text/text.ts';
import { type Diffstat, describeDiffstat } from '../workspace/worktrees/changes.ts';
import { countCommits, nameFile, nameFiles } from '../workspace/worktrees/words.ts';
import { describeRecord, hasWork } from './candidates.ts';
import type { LandingPlan } from './plan.ts';
import { describeEmpty, guarded, nameOrigin, renderLanding } from './render.ts';
import type { Layer } from './stack.ts';

/** All that a landing would do, for the approval question: every worktree and every file. `now`: as for the forecast. */
export function renderPlan(plan: LandingPlan, now?: number): string {
  const { target, layers, empty, others } = plan;
  const where = target.top === undefined ? '' : ` in ${target.top}`;
  return [
    `Onto ${target.branch}${where}, now at ${target.commit.slice(0, 12)}:`,
    ...layers.map((layer, index) => renderLayer(layer, layers.slice(0, index), now)),
    ...empty.map(
      (candidate) =>
        `empty     ${candidate.name}: ${describeEmpty(hasWork(candidate), target.branch)}${layers.length > 0 ? '; its worktree is removed' : ''}`,
    ),
    ...others.map((other) => renderLanding(other, target.branch)),
    ...describeGate(plan),
  ].join('\n');
}

export function renderLayer(
  { candidate, commits, stat, ...layer }: Layer,
  earlier: readonly Layer[],
  now?: number,
) {
  const files = stat.files.map(
    ({ path, from, added, removed }) =>
      `\n    ${from === undefined ? '' : `${nameFile(from)} => `}${nameFile(path)} | +${added} -${removed}`,
  );
  const paths = new Set(listNames(stat));
  const shared = earlier.flatMap((other) => {
    const both = listNames(other.stat).filter((path) => paths.has(path));
    return both.length > 0 ? [`\n    same files as ${other.candidate.name}, merged: ${nameFiles(both)}`] : [];
  });
  const whose = nameOrigin(describeRecord(candidate.record), now);
  const head = `to land   ${candidate.name} (${whose}): ${countCommits(commits)}, ${describeDiffstat(stat)}`;
  return [head, ...files, ...shared, guarded(layer)].join('');
}

/** A renamed file has two. */
function listNames({ files }: Diffstat): string[] {
  return files.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
}

function describeGate({ gate, layers, targetFails }: LandingPlan): string[] {
  if (targetFails !== undefined) return [];
  if (!gate || layers.length === 0) return [];
  const command = visible(gate.command);
  return gate.state === 'passed'
    ? [`gate      passed on the result: ${command}`]
    : [`gate      runs on the result once you approve; work that does not pass is not landed: ${command}`];
}
