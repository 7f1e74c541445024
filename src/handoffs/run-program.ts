import type { RunPort } from '../workflows/run-port.ts';
import type { HostFunctions } from '../workflows/run-script.ts';
import { openPattern } from './open-pattern.ts';
import { type PatternResult, runPattern } from './run-pattern.ts';
import { handOffForScript } from './script-handoff.ts';
import type { HandoffSetup } from './setup.ts';

/** `cadre run chain|parallel|branch|FILE "task"`. */
export interface PatternWish {
  /** A reserved name, or a file of data. */
  given: string;
  task: string;
  cwd: string;
}

/** How the program of a run ended; its value is a `PatternResult` whatever the pattern's outcome. */
type PatternProgramEnd = { ok: true; value: PatternResult } | { ok: false; reason: string };

/** Runs a pattern as the program of a run. */
export async function runPatternProgram(
  run: RunPort,
  { given, task, cwd }: PatternWish,
  setup: HandoffSetup,
): Promise<PatternProgramEnd> {
  const opened = await openPattern(given, { cwd, library: setup.library });
  if (!opened.ok) return { ok: false, reason: opened.problem.message };
  const { pattern, task: common } = opened.value;
  return { ok: true, value: await runPattern(run, pattern, { task: { feature: task, ...common }, setup }) };
}

/** What scripts get of hand-offs: `handoff(request, options)`. */
export function buildHandoffFunctions(run: RunPort, setup: HandoffSetup): HostFunctions {
  return { handoff: (request, options) => handOffForScript(run, setup, request, options) };
}
