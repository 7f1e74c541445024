import type { Pattern } from '../../handoffs/pattern.ts';
import { readPatternFile } from '../../handoffs/pattern-file.ts';
import { builtInPatterns, isBuiltInPattern } from '../../handoffs/programs.ts';
import { renderResult } from '../../handoffs/render-result.ts';
import { resolveTemplate } from '../../handoffs/resolve-template.ts';
import { runPattern } from '../../handoffs/run-pattern.ts';
import type { HandoffSetup } from '../../handoffs/setup.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { BuiltInProgram } from '../../workflows/program.ts';
import type { RunPort } from '../../workflows/run-port.ts';
import type { ProgramEnd } from '../../workflows/run-types.ts';
import { openHandoffSetup } from '../handoff-setup.ts';
import type { Kernel } from '../kernel.ts';

/** `task`, and for a pattern from a file also that file and its text. */
interface PatternArgs {
  task: string;
  file: string;
  source: string;
}

/** A pattern of hand-offs as a program: one of ours by name, or the one that its arguments hold. */
export function definePatternProgram(name: string, kernel: Kernel): BuiltInProgram {
  return {
    name,
    about: 'a pattern of hand-offs',
    check: async (args) => {
      const read = readArgs(name, args);
      if (!read.ok) return read;
      const opened = await open(name, read.value, await openHandoffSetup(kernel));
      return opened.ok ? ok(undefined) : opened;
    },
    run: async (run, args) => execute(run, name, args, await openHandoffSetup(kernel)),
  };
}

async function execute(run: RunPort, name: string, args: unknown, setup: HandoffSetup): Promise<ProgramEnd> {
  const read = readArgs(name, args);
  const opened = read.ok ? await open(name, read.value, setup) : read;
  if (!read.ok || !opened.ok) throw new Error(opened.ok ? 'no task' : opened.problem.message);
  const { pattern, task } = opened.value;
  const result = await runPattern(run, pattern, { task: { feature: read.value.task, ...task }, setup });
  const summary = renderResult(result).trimEnd();
  const isPartial = result.outcome === 'partial';
  if (isPartial || result.outcome === 'complete') return { ok: true, value: result, summary, isPartial };
  // A run whose pattern stopped, or whose checks fail, must not count as completed.
  return { ok: false, reason: summary, value: result };
}

async function open(name: string, { file, source }: PatternArgs, { library }: HandoffSetup) {
  if (!isBuiltInPattern(name)) return readPatternFile(file, source, library);
  const { roles, build } = builtInPatterns[name];
  // Before anything is paid for: a phase that comes later may need a file that is broken.
  for (const role of roles) {
    const template = resolveTemplate(library, role);
    if (!template.ok) return template;
  }
  return ok({ pattern: build() as Pattern, task: {} });
}

function readArgs(name: string, args: unknown): Result<PatternArgs> {
  const given = typeof args === 'string' ? { task: args } : isRecord(args) ? args : {};
  const { task, file = '', source = '' } = given;
  if (typeof task !== 'string' || task.trim() === '')
    return usage(`${name} needs a task.`, `Say what is to be done: cadre run ${name} "task".`);
  if (typeof file !== 'string' || typeof source !== 'string')
    return usage(`${name}: expected a file and its text.`);
  return ok({ task, file, source });
}
