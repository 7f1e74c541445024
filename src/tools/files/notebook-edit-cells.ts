import { isRecord } from '../../lib/fields/field-values.ts';
import { hashBytes } from '../../lib/hash.ts';
import { fail, ok, type Result } from '../../lib/result.ts';

/** The change, and the cell it applies to. */
export interface CellEdit {
  cell_id?: string | undefined;
  cell_number?: number | undefined;
  new_source?: string | undefined;
  cell_type?: 'code' | 'markdown' | undefined;
  edit_mode?: CellChange['mode'] | undefined;
}

type Fields = Record<string, unknown>;

/** Only fields that we touch have a type; every other field is kept unchanged, in its order. */
export interface Notebook extends Fields {
  cells: Cell[];
}

export interface Cell extends Fields {
  cell_type: string;
}

export function parseNotebook(text: string): Notebook | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text, keepNumber);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !Array.isArray(value.cells)) return undefined;
  const isWhole = value.cells.every((cell) => isRecord(cell) && typeof cell.cell_type === 'string');
  return isWhole ? (value as Notebook) : undefined;
}

/** A number that would be written differently (`1.0`, one with twenty digits) is kept as it came. */
function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
  const source = typeof value === 'number' ? context?.source : undefined;
  return rawJSON && source !== undefined && source !== JSON.stringify(value) ? rawJSON(source) : value;
}

export interface CellChange {
  mode: 'replace' | 'insert' | 'delete';
  /** As `Read` counts them, from 1. */
  number: number;
  id?: string;
}

/** Changes the notebook in place. A problem says why it was not changed. */
export function changeCells(notebook: Notebook, input: CellEdit, seed: string): Result<CellChange, string> {
  const mode = input.edit_mode ?? 'replace';
  if (mode !== 'delete' && input.new_source === undefined) return fail('new_source is missing.');
  const named = input.cell_id !== undefined || input.cell_number !== undefined;
  if (!named && mode === 'insert') return insertAt(notebook, 0, input, seed);
  if (!named) return fail('say which cell: cell_id or cell_number.');
  const index = findCell(notebook, input);
  if (!index.ok) return index;
  if (mode === 'insert') return insertAt(notebook, index.value + 1, input, seed);
  const cell = notebook.cells[index.value];
  if (!cell) return fail('the cell was not found.');
  if (mode === 'delete') notebook.cells.splice(index.value, 1);
  else replaceSource(cell, input);
  return ok({ mode, number: index.value + 1, ...pickId(cell) });
}

function findCell({ cells }: Notebook, { cell_id, cell_number }: CellEdit): Result<number, string> {
  const last = cells.length;
  if (cell_id === undefined) {
    const index = (cell_number ?? 0) - 1;
    return index < last ? ok(index) : fail(`there is no cell ${cell_number}; it has ${last} cells.`);
  }
  // `cell-3` is how other tools number the cells of a notebook without ids, from 0.
  const counted = /^cell-(\d{1,6})$/.exec(cell_id)?.[1];
  const byId = cells.findIndex((cell) => cell.id === cell_id);
  const index = byId === -1 && counted !== undefined ? Number(counted) : byId;
  if (index < 0 || index >= last) return fail(`there is no cell with the id ${JSON.stringify(cell_id)}.`);
  if (cell_number !== undefined && cell_number !== index + 1)
    return fail(`cell_id names cell ${index + 1}, cell_number cell ${cell_number}. Use one of them.`);
  return ok(index);
}

function insertAt(
  notebook: Notebook,
  index: number,
  input: CellEdit,
  seed: string,
): Result<CellChange, string> {
  if (input.cell_type === undefined) return fail('cell_type is missing: code or markdown.');
  const cell: Cell = {
    cell_type: input.cell_type,
    ...(hasIds(notebook) ? { id: hashBytes(`${seed} ${index} ${notebook.cells.length}`).slice(0, 8) } : {}),
    ...(input.cell_type === 'code' ? { execution_count: null } : {}),
    metadata: {},
    ...(input.cell_type === 'code' ? { outputs: [] } : {}),
    source: splitLines(input.new_source ?? ''),
  };
  notebook.cells.splice(index, 0, cell);
  return ok({ mode: 'insert', number: index + 1, ...pickId(cell) });
}

function replaceSource(cell: Cell, { new_source = '', cell_type }: CellEdit): void {
  // Written in its original form: one string, or a list of lines.
  cell.source = typeof cell.source === 'string' ? new_source : splitLines(new_source);
  if (cell_type !== undefined) cell.cell_type = cell_type;
  if (cell.cell_type === 'code') {
    cell.execution_count = null;
    cell.outputs = [];
  } else {
    delete cell.execution_count;
    delete cell.outputs;
  }
}

function splitLines(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/);
}

/** Cells have ids from format 4.5 on; before that, an unknown field would make the notebook invalid. */
function hasIds(notebook: Notebook): boolean {
  const [major, minor] = [Number(notebook.nbformat), Number(notebook.nbformat_minor)];
  return major > 4 || (major === 4 && minor >= 5);
}

function pickId(cell: Cell): { id?: string } {
  return typeof cell.id === 'string' ? { id: cell.id } : {};
}

/** With its original indentation and line endings. */
export function formatNotebook(notebook: Notebook, before: string): string {
  const indent = /^\{\r?\n([ \t]+)/.exec(before)?.[1] ?? (before.includes('\n') ? ' ' : '');
  const text = JSON.stringify(notebook, null, indent);
  const ending = /\r?\n$/.exec(before)?.[0] ?? '';
  return (before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text) + ending;
}
