import { fillSection } from '../../settings/environment.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import type { WorkflowLimits } from '../../workflows/run-types.ts';
import type { Kernel } from '../kernel.ts';

/** The limits of runs, from the settings. */
export function readLimits({
  settings,
  environment,
}: Pick<Kernel, 'settings' | 'environment'>): WorkflowLimits {
  return fillSection(settingsTable.workflows.section, settings.workflows, environment);
}
