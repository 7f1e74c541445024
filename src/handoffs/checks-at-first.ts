import { findRedefined } from '../checks/definitions.ts';
import type { RunPort } from '../workflows/run-port.ts';
import type { CheckName } from './schema.ts';
import type { HandoffSetup } from './setup.ts';

/** Notes what the project's checks are before any work begins. In the run's journal, so that a resumed run knows it, too. */
export async function noteChecksAtFirst(run: RunPort, setup: HandoffSetup): Promise<HandoffSetup> {
  const define = setup.checks?.define;
  if (!define) return setup;
  const checksAtFirst = await run.step({ name: 'checks at first', input: {}, work: define });
  return { ...setup, checksAtFirst };
}

/** What the work changed in what these checks do, each as an issue. A check that there was not at first is new work. */
export async function listRedefined(
  run: RunPort,
  { checks, checksAtFirst }: HandoffSetup,
  taskId: string,
  only: readonly CheckName[] | undefined,
): Promise<string[]> {
  const define = checks?.define;
  if (!define || !checksAtFirst) return [];
  const now = await run.step({ name: `checks now ${taskId}`, input: { task_id: taskId }, work: define });
  return Object.entries(findRedefined(checksAtFirst, now)).flatMap(([name, reason]) =>
    name in checksAtFirst && (only?.includes(name as CheckName) ?? true) ? [`${name}: ${reason}`] : [],
  );
}
