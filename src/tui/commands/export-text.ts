import type { Entry, ShownCall } from '../../view/index.ts';
import { formatDuration } from '../../view/index.ts';
import type { FindFull } from '../screen/full-lines.ts';

export interface Exported {
  readonly entries: readonly Entry[];
  readonly find: FindFull;
}

interface About {
  id: string;
  cwd: string;
  model: string;
  title?: string;
}

/** A conversation as a document. */
export function renderMarkdown(about: About, { entries, find }: Exported): string {
  const { id, cwd, model, title } = about;
  const head = [`# ${title ?? 'Session'}`, `Session ${id} · ${model} · ${cwd}`];
  return `${[...head, ...entries.flatMap((entry) => renderEntry(entry, find))].join('\n\n')}\n`;
}

/** The same as data: each entry has its `kind`. */
export function renderJson(about: About, { entries, find }: Exported): string {
  const all = entries
    .filter(({ kind }) => kind !== 'reminder')
    .map((entry) => (entry.kind === 'call' ? { ...entry, call: fillCall(entry.call, find) } : entry));
  return `${JSON.stringify({ session: about, entries: all }, null, 2)}\n`;
}

function fillCall(call: ShownCall, find: FindFull) {
  const { input = call.input, result = call.result?.text ?? null } = find(call) ?? {};
  return { ...call, input, result };
}

function renderEntry(entry: Entry, find: FindFull): string[] {
  switch (entry.kind) {
    case 'prompt':
      return [`## ${entry.from === 'person' ? 'You' : 'Task'}`, entry.text.text];
    case 'text':
      return [entry.text];
    case 'thinking':
      return [entry.text.replace(/^/gm, '> ')];
    case 'call':
      return renderCall(entry.call, find);
    case 'agents':
      return entry.calls.flatMap((call) => renderCall(call, find));
    case 'ran':
      return [`### ! ${entry.command}`, fence(entry.text.text)];
    case 'mail':
      return [`### Message from ${entry.from}`, entry.text.text];
    case 'notification':
      return [`*${entry.summary}*`];
    case 'notice':
    case 'refused':
      return [`*${entry.text}*`];
    case 'hook':
      return [`*${entry.name}: ${entry.text}*`];
    case 'compaction':
      return ['*The conversation was compacted.*'];
    case 'rewind':
      return ['*Rewound to an earlier point.*'];
    case 'end':
      return entry.outcome === 'completed'
        ? []
        : [`*${entry.outcome.replaceAll('_', ' ')} after ${formatDuration(entry.durationMs)}*`];
    case 'reminder':
      return [];
  }
}

function renderCall(call: ShownCall, find: FindFull): string[] {
  const { input, result } = fillCall(call, find);
  const { command } = input;
  const given =
    typeof command === 'string' ? fence(command, 'sh') : fence(JSON.stringify(input, null, 2), 'json');
  const state = call.state === 'done' ? '' : ` (${call.state})`;
  return [`### ${call.toolName}${state}`, given, ...(result ? [fence(result)] : [])];
}

/** Longer than any fence in the text. */
function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text.replace(/\n$/, '')}\n${ticks}`;
}
