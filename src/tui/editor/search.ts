import type { Key } from '../keys/key.ts';
import type { Editor, Search } from './editor.ts';
import type { EditorContext } from './history.ts';
import { type PastPrompt, recallPrompt } from './recall.ts';

/** Undefined if there is nothing to search. */
export function startSearch(editor: Editor, { history }: EditorContext): Editor | undefined {
  if (history.length === 0) return undefined;
  const draft = { text: editor.text, cursor: editor.cursor };
  return { ...editor, search: { query: '', index: history.length, found: true, draft }, last: undefined };
}

/** A key while searching. Undefined: the search has ended, and the key has its usual meaning. */
export function searchKey(
  editor: Editor,
  search: Search,
  key: Key,
  { history }: EditorContext,
): { editor: Editor; isOver: boolean } {
  if (key.ctrl && key.name === 'r') return going(find(editor, search, search.index - 1, history));
  if (key.ctrl && key.name === 's') return going(findNewer(editor, search, history));
  if (key.name === 'escape' || (key.ctrl && (key.name === 'g' || key.name === 'c')))
    return going({ ...editor, ...search.draft, search: undefined });
  if (key.name === 'return' || key.name === 'tab') return going(accept(editor, search));
  if (key.name === 'backspace') {
    const query = Array.from(search.query).slice(0, -1).join('');
    return going(find(editor, { ...search, query }, history.length - 1, history));
  }
  if (key.name === 'text' && key.text !== undefined) {
    const query = search.query + key.text.replace(/[\r\n]/g, ' ');
    return going(find(editor, { ...search, query }, Math.min(search.index, history.length - 1), history));
  }
  return { editor: accept(editor, search), isOver: true };
}

function going(editor: Editor): { editor: Editor; isOver: boolean } {
  return { editor, isOver: false };
}

function accept(editor: Editor, search: Search): Editor {
  const { search: _, ...rest } = editor;
  if (search.query === '') return rest;
  return { ...rest, browsing: { index: search.index, draft: search.draft } };
}

/** The newest entry at or before `from` that contains the query. */
function find(editor: Editor, search: Search, from: number, history: readonly PastPrompt[]): Editor {
  if (search.query === '')
    return { ...editor, ...search.draft, search: { ...search, index: history.length, found: true } };
  const wanted = search.query.toLowerCase();
  for (let index = Math.min(from, history.length - 1); index >= 0; index--)
    if (history[index]?.text.toLowerCase().includes(wanted)) return show(editor, search, index, history);
  return { ...editor, search: { ...search, found: false } };
}

function findNewer(editor: Editor, search: Search, history: readonly PastPrompt[]): Editor {
  const wanted = search.query.toLowerCase();
  const index = history.findIndex(
    (entry, at) => at > search.index && entry.text.toLowerCase().includes(wanted),
  );
  return index === -1 || wanted === '' ? editor : show(editor, search, index, history);
}

function show(editor: Editor, search: Search, index: number, history: readonly PastPrompt[]): Editor {
  const entry = history[index];
  if (!entry) return editor;
  const recalled = recallPrompt(editor, entry);
  const cursor = Math.max(0, recalled.text.toLowerCase().indexOf(search.query.toLowerCase()));
  return {
    ...recalled,
    cursor: Math.min(cursor, recalled.text.length),
    search: { ...search, index, found: true },
  };
}
