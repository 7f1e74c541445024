import { replace } from './change.ts';
import type { Editor } from './editor.ts';

export interface Completion {
  /** `file`: after an `@`; agents may be offered there by name too. `agent`: after `@agent-`. */
  readonly kind: 'file' | 'agent' | 'command' | 'none';
  readonly query: string;
  /** The range that `complete` replaces. */
  readonly start: number;
  readonly end: number;
}

/** The word under or right before the cursor that can be completed. */
export function findCompletion(editor: Editor): Completion {
  const { text, cursor } = editor;
  const before = text.slice(0, cursor);
  // A search result is only looked at, not edited.
  if (editor.search || text.startsWith('!')) return none(cursor);
  const command = /^\/([^\s/]*)$/.exec(before);
  if (command)
    return { kind: 'command', query: command[1] ?? '', start: 0, end: cursor + wordAfter(text, cursor) };
  const line = before.slice(before.lastIndexOf('\n') + 1).slice(-1000);
  const mention = /(?:^|[\s([{])@("[^"\n]*|[^\s"@]*)$/.exec(line);
  if (!mention) return none(cursor);
  const [, name = ''] = mention;
  const query = name.replace(/^"/, '');
  const end = name.startsWith('"') ? findQuotedEnd(text, cursor) : cursor + wordAfter(text, cursor);
  const start = cursor - name.length - 1;
  if (query.startsWith('agent-')) return { kind: 'agent', query: query.slice('agent-'.length), start, end };
  return { kind: 'file', query, start, end };
}

/**
 * Inserts the chosen path, agent or command name. A blank follows, except after a directory, so the user can keep
 * choosing. `kind` says which one was chosen where `@` offered both.
 */
export function complete(
  editor: Editor,
  completion: Completion,
  value: string,
  kind: Completion['kind'] = completion.kind,
): Editor {
  const { start, end } = completion;
  const written = writeOut(value, kind);
  const isOpen = kind === 'file' && value.endsWith('/');
  const follows = /^\s/.test(editor.text.slice(end));
  const inserted = isOpen ? written.replace(/"$/, '') : follows ? written : `${written} `;
  const changed = replace(editor, start, end, inserted);
  return follows && !isOpen ? { ...changed, cursor: changed.cursor + 1 } : changed;
}

function writeOut(value: string, kind: Completion['kind']): string {
  if (kind === 'command') return `/${value}`;
  const needsQuotes = /[\s"]/.test(value);
  if (kind === 'agent') return needsQuotes ? `@"${value} (agent)"` : `@agent-${value}`;
  return needsQuotes ? `@"${value}"` : `@${value}`;
}

function none(cursor: number): Completion {
  return { kind: 'none', query: '', start: cursor, end: cursor };
}

function wordAfter(text: string, at: number): number {
  return /^[^\s"@]*/.exec(text.slice(at, at + 1000))?.[0].length ?? 0;
}

function findQuotedEnd(text: string, at: number): number {
  const rest = /^[^"\n]*"/.exec(text.slice(at, at + 1000));
  return rest ? at + rest[0].length : at;
}
