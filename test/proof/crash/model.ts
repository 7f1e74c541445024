import { type Message, type ModelRequest, textOf } from '../../../src/protocol/index.ts';
import { call, type FixedTurn, say } from '../../../src/testing/index.ts';

/** One step of a role. */
export type Step =
  /** A command that must not run twice: it adds a line. */
  | { kind: 'do'; name: string }
  | { kind: 'write'; name: string }
  | { kind: 'hire'; name: string; input?: Record<string, unknown> }
  | { kind: 'land'; name: string };

/** What each agent of a scene has to do; `lead` is the session's own. */
export type Plan = Readonly<Record<string, readonly Step[]>>;

/**
 * A model that only knows its conversation: what it did there and was told is done, what it was told nothing of is open,
 * and what was interrupted it looks at first. So whatever the moment of a crash, it ends with the same files.
 */
export function answer(request: ModelRequest, plan: Plan): FixedTurn {
  const known = readConversation(request.messages);
  const steps = plan[known.role];
  if (isSummarising(request)) return say(summarise(known));
  if (!steps) return say('I do not know my task.');
  for (const step of steps) {
    const state = known.states.get(step.name) ?? (known.isAgain ? 'unknown' : 'open');
    if (state === 'done' || state === 'waiting') continue;
    const mayWrite = known.role === 'lead';
    if (step.kind === 'hire') return hire(step, state, mayWrite);
    if (state === 'unknown') return look(step.name);
    return act(step);
  }
  const waits = steps.some(({ name }) => known.states.get(name) === 'waiting');
  return say(waits ? 'Waiting.' : `finished ${known.role}`);
}

type State = 'open' | 'unknown' | 'waiting' | 'cut' | 'done';

interface Known {
  role: string;
  /** Others may have done part of it before. */
  isAgain: boolean;
  states: Map<string, State>;
}

let count = 0;

/** The line of a command has a mark that no other leaves: run again, it would be there twice. */
function act({ kind, name }: Step): FixedTurn {
  if (kind === 'write') return call('Write', { file_path: `${name}.txt`, content: `${name}\n` });
  if (kind === 'land') return call('Land', { action: 'land' });
  const mark = `mark-${process.pid}-${++count}`;
  const lines = 'one line after another\n'.repeat(60);
  return call('Bash', {
    command: `: do ${name}\necho ${name} ${mark} >>${name}.txt; echo made ${name}; cat <<E\n${lines}E`,
  });
}

function look(name: string): FixedTurn {
  return call('Bash', { command: `: look ${name}\nif [ -s ${name}.txt ]; then echo yes; else echo no; fi` });
}

function hire({ name, input }: Step & { kind: 'hire' }, state: State, mayWrite: boolean): FixedTurn {
  if (mayWrite && (state === 'cut' || state === 'unknown'))
    return call('SendMessage', { to: name, message: 'Go on.' });
  const again = state === 'open' ? '' : ' again';
  return call('Agent', {
    description: `agent ${name}`,
    prompt: `Begin. [role ${name}]${again}`,
    ...(mayWrite ? { name } : {}),
    ...input,
  });
}

function isSummarising({ messages }: ModelRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && textOf(last.content).includes('replaced by a summary that you write now');
}

function summarise({ role, isAgain, states }: Known): string {
  return `[role ${role}]${isAgain ? ' again' : ''} ${[...states].map(([name, state]) => `{${name} ${state}}`).join(' ')}`;
}

function readConversation(messages: readonly Message[]): Known {
  const known: Known = { role: 'nobody', isAgain: false, states: new Map() };
  const calls = new Map<string, { name: string; input: Record<string, unknown> }>();
  for (const message of messages)
    for (const block of message.content) {
      if (block.type === 'tool_use') calls.set(block.id, block);
      if (block.type === 'text' && message.role === 'user') hear(block.text, known);
      if (block.type !== 'tool_result') continue;
      const made = calls.get(block.tool_use_id);
      if (made) note(made.name, made.input, textOf(block.content), known);
    }
  return known;
}

/** What the user, the harness and summaries say. */
function hear(text: string, known: Known): void {
  for (const [, role = '', again] of text.matchAll(/\[role (\w+)\]( again)?/g)) {
    known.role = role;
    known.isAgain = again !== undefined;
  }
  for (const [, name = '', state] of text.matchAll(/\{(\w+) (open|unknown|waiting|cut|done)\}/g))
    known.states.set(name, state as State);
  for (const [told] of text.matchAll(/<task-notification>[\s\S]*?<\/task-notification>/g)) {
    const name = /"agent (\w+)"/.exec(told)?.[1];
    if (name) known.states.set(name, told.includes(`finished ${name}`) ? 'done' : 'cut');
  }
}

/** What a call came to. */
function note(tool: string, input: Record<string, unknown>, result: string, { states }: Known): void {
  const [, verb, done = ''] = /^: (do|look) (\w+)/.exec(String(input.command)) ?? [];
  if (verb === 'do') states.set(done, result.includes(`made ${done}`) ? 'done' : 'unknown');
  if (verb === 'look' && /^(?:yes|no)/m.test(result))
    states.set(done, /^yes/m.test(result) ? 'done' : 'open');
  if (tool === 'Write') {
    const name = String(input.file_path).replace('.txt', '');
    states.set(name, /created|wrote|written|updated/i.test(result) ? 'done' : 'unknown');
  }
  if (tool === 'Land')
    states.set('landed', /^landed |There are no worktrees to land/m.test(result) ? 'done' : 'unknown');
  if (tool === 'Agent') {
    const name = /\w+$/.exec(String(input.description))?.[0] ?? '';
    const isLater = /in the background|notified separately/.test(result);
    if (states.get(name) === 'done') return;
    states.set(name, result.includes(`finished ${name}`) ? 'done' : isLater ? 'waiting' : 'unknown');
  }
  if (tool === 'SendMessage' && states.get(String(input.to)) !== 'done')
    states.set(
      String(input.to),
      /no agent|not found|unknown|expected|cannot/i.test(result) ? 'open' : 'waiting',
    );
}
