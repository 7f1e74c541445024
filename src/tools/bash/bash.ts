import { sleep } from '../../lib/clock.ts';
import { form, type OutputOf } from '../../lib/form/form.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { TaskHandle } from '../../protocol/task.ts';
import {
  defineTool,
  errorResult,
  type ToolContext,
  type ToolProgress,
  type ToolResult,
} from '../../protocol/tool.ts';
import { movedResult, moveToBackground, startInBackground } from './background.ts';
import description from './bash.md' with { type: 'text' };
import {
  couldNotEnter,
  enterDirectory,
  forgetDirectory,
  giveUpDirectory,
  leaveDirectory,
} from './directory.ts';
import { openOutput, outputName } from './output.ts';
import { describeShell, startShell } from './process.ts';
import { describeEnd } from './result.ts';

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
/** The system's limit for one argument. */
const maxCommandBytes = 120 * 1024;
/** A command that fills the disk is stopped. */
const maxOutputBytes = 4 * 1024 ** 3;
const progressMs = 100;

const schema = form.strictObject({
  command: form.string().min(1),
  timeout: form.int().min(1).max(maxTimeoutMs).optional().describe('Milliseconds; default 120000'),
  description: form.string().optional().describe('In a few words'),
  run_in_background: form.boolean().optional(),
  dangerouslyDisableSandbox: form
    .boolean()
    .optional()
    .describe('Only after the sandbox blocked what the command needs; may ask the user'),
});

type BashInput = OutputOf<typeof schema>;

export const bashTool = defineTool({
  name: 'Bash',
  description: description.trim(),
  schema,
  access: (input, cwd) => [{ kind: 'shell', command: input.command, cwd }],
  concurrent: () => false,
  summary: (input) => visibleLine(input.command, 300),
  async *run(input, context) {
    const problem = findProblem(input.command);
    if (problem) return errorResult(problem);
    if (input.run_in_background) return startInBackground(input, context);
    return yield* runHere(input, context);
  },
});

/** Where background work is switched off. */
export const foregroundBashTool = defineTool({
  ...bashTool,
  description: description
    .trim()
    .replace(
      /: for servers and long jobs set run_in_background, [^.]*\./,
      '. Background tasks are switched off here.',
    ),
  schema: schema.extend({
    run_in_background: form.literal(false, 'false, since background tasks are switched off here').optional(),
  }),
  run: (input, context) => bashTool.run(input, context),
});

function findProblem(command: string): string | undefined {
  if (command.includes('\0')) return 'A command cannot contain a NUL character.';
  const size = Buffer.byteLength(command);
  if (size <= maxCommandBytes) return undefined;
  return `The command is ${size} bytes long; the limit is ${maxCommandBytes}. Write it to a file and run that.`;
}

async function* runHere(input: BashInput, context: ToolContext): AsyncGenerator<ToolProgress, ToolResult> {
  const shell = await describeShell(context);
  const directory = enterDirectory(context);
  const cwd = context.directory.current;
  const output = openOutput(
    context.outputs.pathFor(outputName(context.toolUseId, 'log')),
    context.shell.maxOutputCharacters,
  );
  // Before it is cut or stored: half a secret would not be recognized.
  const mask = context.secrets?.openStream();
  const timeoutMs = input.timeout ?? defaultTimeoutMs;
  const touching = context.leases?.watch(context.toolUseId);
  const running = await startShell({
    ...shell,
    ...{ command: input.command, cwd, directoryFile: directory.file, timeoutMs },
    output: (chunk) => output.add(mask?.add(chunk) ?? chunk),
    signal: context.signal,
  });
  const done = new AbortController();
  const ended = running.ended.finally(() => done.abort());
  let moved: TaskHandle | undefined;
  const withdraw = context.tasks.offer?.({
    owner: context.agentId,
    toolUseId: context.toolUseId,
    move() {
      if (done.signal.aborted) return false;
      moved = moveToBackground(input, context, { cwd, running, mask, touching, output, directory });
      done.abort();
      return true;
    },
  });
  try {
    for (let shown = 0; !done.signal.aborted; shown = output.size()) {
      await sleep(context.clock, progressMs, done.signal);
      if (output.size() > maxOutputBytes) running.kill();
      if (!done.signal.aborted && output.size() > shown) yield { text: output.tail() };
    }
  } finally {
    withdraw?.();
    // Also reached if the caller gives up between two pieces of progress.
    if (!done.signal.aborted) {
      running.kill();
      void ended.then(() => {
        touching?.end();
        running.confined?.finish({ failed: false, output: '' });
        forgetDirectory(directory);
      });
    }
  }
  if (moved) return movedResult(moved);
  const end = await ended;
  if (mask) output.add(mask.end());
  const isFlood = output.size() > maxOutputBytes;
  const finished = output.finish();
  const { confined } = running;
  const confinement =
    confined?.finish({ failed: end.code !== 0, output: finished.text, code: end.code }) ?? [];
  const touched = touching?.end() ?? [];
  const isStarted = end.problem === undefined && !(confined && couldNotEnter(finished.text));
  const left = isStarted ? leaveDirectory(directory, context, confined) : giveUpDirectory(directory, context);
  return describeEnd({
    cwd,
    end,
    output: { ...finished, digest: output.digest(), bytes: output.size() },
    timeoutMs,
    isFlood,
    notes: [...directory.notes, ...left, ...confinement, ...touched],
    clock: context.clock,
  });
}
