import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parse,
  parseTree,
} from 'jsonc-parser';
import { isRecord } from '../lib/fields/field-values.ts';

type Content = Readonly<Record<string, unknown>>;

/**
 * Edits the text of `before` to say `after`. Only differences are written, two levels deep, so formatting and
 * unknown keys stay as written; everything is rewritten if that fails, as with a duplicate key.
 */
export function rewriteJson(text: string, before: Content, after: Content): string {
  const whole = `${JSON.stringify(after, null, 2)}\n`;
  if (text.trim() === '') return whole;
  const changed = findChanges(before, after, 1).reduce(applyChange, text);
  return JSON.stringify(sorted(parse(changed))) === JSON.stringify(sorted(after)) ? changed : whole;
}

interface Change {
  path: string[];
  /** Undefined: the key is removed. */
  value: unknown;
}

function findChanges(before: Content, after: Content, deeper: number): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): Change[] => {
    const [old, value] = [getOwn(before, key), getOwn(after, key)];
    if (JSON.stringify(old) === JSON.stringify(value)) return [];
    if (deeper === 0 || !isRecord(old) || !isRecord(value)) return [{ path: [key], value }];
    return findChanges(old, value, deeper - 1).map((one) => ({ ...one, path: [key, ...one.path] }));
  });
}

function getOwn(content: Content, key: string): unknown {
  return Object.hasOwn(content, key) ? content[key] : undefined;
}

/** Leaves every other byte unchanged; text on one line stays on one. */
function applyChange(text: string, { path, value }: Change): string {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  const isOneLine = !text.trim().includes('\n');
  const formattingOptions = isOneLine
    ? undefined
    : { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: '\n' };
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

/** The same content with sorted keys, so texts can be compared. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** The position of a value in valid JSON, counted from 1; for a missing one, the position of its parent. */
export function placeInJson(text: string, path: readonly PropertyKey[]): { line: number; column: number } {
  const root = parseTree(text);
  let node: Node | undefined;
  for (let depth = path.length; root && !node; depth--)
    node = findNodeAtLocation(root, path.slice(0, depth) as JSONPath);
  const lines = text.slice(0, node?.offset ?? 0).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
