import { appendFileSync } from 'node:fs';
import type { RunStatus } from '../../protocol/workflow.ts';
import type { WorkflowProgram } from '../../workflows/journal-records.ts';
import type { WorkflowRun } from '../../workflows/run.ts';
import type { RunChange, RunEnd } from '../../workflows/run-types.ts';
import type { Kernel } from '../kernel.ts';
import { renderLine } from './render-run.ts';

/** Tells the surfaces of a run as events, and its owner as lines of the task's output. */
export class RunReporter {
  #run: WorkflowRun | undefined;
  #phases: string[];
  #phase: string | undefined;
  #outputFile: string | undefined;
  #halt: { reason: string; until?: number | undefined } | undefined;

  constructor(
    private readonly kernel: Kernel,
    private readonly taskId: string,
    private readonly program: WorkflowProgram,
  ) {
    this.#phases = [...(program.phases ?? [])];
  }

  attach(run: WorkflowRun): void {
    this.#run = run;
  }

  begin(outputFile: string): void {
    this.#outputFile = outputFile;
    this.#write(`run ${this.#run?.id} of workflow ${this.program.name}`);
    this.#tell('running');
  }

  note(change: RunChange): void {
    const run = this.#run;
    if (!run) return;
    if (change.type === 'phase') {
      this.#phase = change.name;
      if (!this.#phases.includes(change.name)) this.#phases.push(change.name);
    }
    if (change.type === 'suspended') this.#halt = change.halt;
    if (change.type === 'call')
      this.kernel.events.tell({ type: 'workflow_call_changed', call: { runId: run.id, ...change.call } });
    if (change.type === 'log')
      this.kernel.events.tell({
        type: 'notice_given',
        level: 'info',
        text: `${this.program.name}: ${change.text}`,
      });
    const line = renderLine(change);
    if (line !== undefined) this.#write(line);
    if (change.type !== 'log') this.#tell('running');
  }

  end(end: RunEnd): void {
    this.#halt = { reason: end.reason ?? '', until: end.until };
    this.#tell(end.status);
  }

  #tell(status: RunStatus): void {
    const run = this.#run;
    if (!run) return;
    const reason = this.#halt?.reason;
    this.kernel.events.tell({
      type: 'workflow_changed',
      workflow: {
        ...{ runId: run.id, taskId: this.taskId, name: this.program.name, status },
        ...{
          phases: [...this.#phases],
          phase: this.#phase,
          calls: run.counts,
          census: run.census,
          spent: run.spent(),
        },
        ...(reason ? { reason, until: this.#halt?.until } : {}),
      },
    });
  }

  #write(line: string): void {
    if (this.#outputFile === undefined) return;
    try {
      appendFileSync(this.#outputFile, `${line}\n`, { mode: 0o600 });
    } catch {
      // The journal has it all; a full disk is reported there.
    }
  }
}
