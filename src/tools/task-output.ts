import { sleep } from '../lib/clock.ts';
import { form, type OutputOf } from '../lib/form/form.ts';
import { boundText, visibleLine } from '../lib/text/text.ts';
import { frameReport } from '../protocol/report-frame.ts';
import { isSubAgent, type TaskEnd, type TaskHandle } from '../protocol/task.ts';
import { defineTool, errorResult, type ToolContext, type ToolResult, textResult } from '../protocol/tool.ts';
import { describeLostOutput, readBounded } from './bash/output.ts';
import type { BoundedText } from './bash/text.ts';
import description from './task-output.md' with { type: 'text' };
import { withoutProgress } from './without-progress.ts';

const defaultTimeoutMs = 30_000;
const maxTimeoutMs = 600_000;
const maxCharacters = 30_000;

const schema = form.strictObject({
  task_id: form.string(),
  block: form.boolean().optional(),
  timeout: form.int().min(0).max(maxTimeoutMs).optional().describe('Milliseconds; default 30000'),
});

type Input = OutputOf<typeof schema>;

export const taskOutputTool = defineTool({
  name: 'TaskOutput',
  description: description.trim(),
  schema,
  access: () => [{ kind: 'none' }],
  concurrent: () => true,
  summary: (input) => visibleLine(input.task_id, 100),
  run: (input, context) => withoutProgress(() => show(input, context)),
});

async function show(input: Input, context: ToolContext): Promise<ToolResult> {
  const task = context.tasks.find(input.task_id);
  if (!task)
    return errorResult(`There is no task ${input.task_id}. Use the id from the result that started it.`);
  if (input.block ?? true) await waitForTask(task, input.timeout ?? defaultTimeoutMs, context);
  const status = task.status();
  const end = status === 'running' || status === 'pending' ? undefined : await task.result();
  const output = readOutput(task, end);
  if (end) task.noteRetrieved(context.agentId);
  const cut = output.isWhole ? '' : `\n[Full output, ${output.size} bytes: ${task.outputFile}]`;
  const head = `Task ${task.id}: ${status}${end?.reason ? ` (${end.reason})` : ''}`;
  const lost = task.kind === 'local_bash' ? describeLostOutput(task.outputFile) : undefined;
  const none = lost === undefined ? '(no output)' : `[${lost}]`;
  return textResult(`${head}\n${frame(task, output.text, end) || none}${cut}`, {
    taskId: task.id,
    status,
    output: output.text,
  });
}

function frame({ kind }: TaskHandle, text: string, end: TaskEnd | undefined): string {
  return isSubAgent({ kind }) ? frameReport(text, end?.report) : text;
}

/** For an ended agent its result, which was checked; its file only has its earlier messages. */
function readOutput(
  task: TaskHandle,
  end: TaskEnd | undefined,
): Pick<BoundedText, 'text' | 'size' | 'isWhole'> {
  if (!end || task.kind === 'local_bash') return readBounded(task.outputFile, maxCharacters);
  const { text } = end;
  return {
    text: boundText(text, maxCharacters),
    size: Buffer.byteLength(text),
    isWhole: text.length <= maxCharacters,
  };
}

async function waitForTask(task: TaskHandle, timeoutMs: number, context: ToolContext): Promise<void> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  context.signal.addEventListener('abort', abort, { once: true });
  if (context.signal.aborted) abort();
  void task.result().then(abort, abort);
  await sleep(context.clock, timeoutMs, stop.signal);
  context.signal.removeEventListener('abort', abort);
}
