import { renderValue } from '../lib/fields/describe-value.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { efforts } from '../protocol/effort.ts';
import { type Command, permissionModes } from '../protocol/index.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value.trim() !== '';
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isPrompt: Check = (value) =>
  typeof value === 'string' || (Array.isArray(value) && value.length > 0 && value.every(isObject));

/** The fields that a command cannot do without, and what each must be. */
const fields: Readonly<Record<Command['type'], readonly [name: string, check: Check, expected: string][]>> = {
  prompt: [['content', isPrompt, 'text, or a list of blocks']],
  interrupt: [],
  answer: [
    ['questionId', isText, 'the id of a question'],
    ['answer', isObject, 'an answer'],
  ],
  set_permission_mode: [
    ['mode', (value) => permissionModes.some((mode) => mode === value), permissionModes.join(', ')],
  ],
  set_model: [['model', (value) => value === null || isText(value), 'the name of a model, or null']],
  set_effort: [
    [
      'effort',
      (value) => value === null || efforts.some((one) => one === value),
      `${efforts.join(', ')}, or null`,
    ],
  ],
  stop_task: [['taskId', isText, 'the id of a task']],
  skip_workflow_call: [
    ['runId', isText, 'the id of a run'],
    ['callId', isText, 'the id of a call'],
  ],
  background_tasks: [],
  message_agent: [
    ['to', isText, 'the id or name of an agent'],
    ['message', isText, 'text'],
  ],
  move: [
    ['engine', isText, 'the address of an engine'],
    ['to', isText, 'the name or the label of a worker'],
  ],
  compact: [],
};

/** A program may send anything: what is not a command is answered with a problem, not with an exception. */
export function checkCommand(command: unknown): Result<void> {
  const given: Readonly<Record<string, unknown>> = isObject(command) ? Object(command) : {};
  const type = Object.keys(fields).find((name): name is Command['type'] => name === given.type);
  if (!type)
    return usage(
      `type: expected one of ${Object.keys(fields).join(', ')}, got ${visibleLine(renderValue(given.type), 100)}.`,
    );
  const wrong = fields[type].find(([name, check]) => !check(given[name]));
  return wrong ? usage(`${type}.${wrong[0]}: expected ${wrong[2]}.`) : ok(undefined);
}
