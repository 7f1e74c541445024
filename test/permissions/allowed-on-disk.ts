import { decideLine, postures } from '../proof/kernel/judged.ts';
import type { Layout } from '../proof/kernel/layout.ts';
import { ruleSets } from '../proof/kernel/rule-sets.ts';

/**
 * Lines that run without asking in real workspaces. Each line meets one of the layouts, for each of these postures:
 * looking takes longer than judging.
 */
export function allowedOnDisk(
  lines: readonly string[],
  layouts: readonly Layout[],
  names: readonly string[],
): string[] {
  const rules = ruleSets.find(({ name }) => name === 'none');
  if (!rules) throw new Error('There is no set without rules.');
  return postures
    .filter(({ name }) => names.includes(name))
    .flatMap((posture) =>
      lines.flatMap((line, index) => {
        const layout = layouts[(index + postures.indexOf(posture)) % layouts.length];
        if (!layout) return [];
        const given = { line, layout, posture, rules, cwd: layout.workspace, shell: 'bash' as const };
        const isAllowed = decideLine(given).decision.behaviour === 'allow';
        return isAllowed ? [`${layout.name} ${posture.name}: ${line}`] : [];
      }),
    );
}
