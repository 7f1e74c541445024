type Content = Readonly<Record<string, unknown>>;

/**
 * The text of `before` as one of `after`. Only what differs is written anew, two levels deep; where a key is gone, or
 * there was no text, all of it.
 */
export function rewriteJson(text: string, before: Content, after: Content): string {
  const changes = text.trim() === '' ? undefined : changesOf(before, after, 1);
  if (!changes) return `${JSON.stringify(after, null, 2)}\n`;
  return changes.reduce((now, { path, value }) => setJsonValue(now, path, value), text);
}

function changesOf(
  before: Content,
  after: Content,
  deeper: number,
): { path: string[]; value: unknown }[] | undefined {
  if (Object.keys(before).some((key) => !Object.hasOwn(after, key))) return undefined;
  const changes: { path: string[]; value: unknown }[] = [];
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (JSON.stringify(old) === JSON.stringify(value)) continue;
    const inner =
      deeper > 0 && isContent(old) && isContent(value) ? changesOf(old, value, deeper - 1) : undefined;
    if (inner) changes.push(...inner.map((one) => ({ path: [key, ...one.path], value: one.value })));
    else changes.push({ path: [key], value });
  }
  return changes;
}

function isContent(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Sets one value in a JSON text and leaves every other byte as it is: people format their settings, and keep keys there
 * that we do not know. The text must be valid JSON with an object at its top.
 */
export function setJsonValue(text: string, path: readonly string[], value: unknown): string {
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return setIn(text, path, value, unit, skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0), 0);
}

/** Where a value stands in a valid JSON text, counted from 1; of one that is not there, what should hold it. */
export function placeInJson(text: string, path: readonly PropertyKey[]): { line: number; column: number } {
  let at = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0);
  for (const key of path) {
    const inner =
      text[at] === '{'
        ? membersOf(text, at).members.findLast((member) => member.key === key)?.start
        : itemsOf(text, at)[Number(key)];
    if (inner === undefined) break;
    at = inner;
  }
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Where each value of a list begins. */
function itemsOf(text: string, start: number): number[] {
  const items: number[] = [];
  if (text[start] !== '[') return items;
  for (let at = skipSpace(text, start + 1); text[at] !== ']' && at < text.length; ) {
    items.push(at);
    at = skipSpace(text, skipValue(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return items;
}

function setIn(
  text: string,
  [key = '', ...rest]: readonly string[],
  value: unknown,
  unit: string,
  start: number,
  depth: number,
): string {
  const { members, end } = membersOf(text, start);
  // Of a key that is there twice the last counts.
  const found = members.findLast((member) => member.key === key);
  if (found && rest.length > 0 && text[found.start] === '{')
    return setIn(text, rest, value, unit, found.start, depth + 1);
  const nested = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const isOneLine = !text.slice(start, end).includes('\n') && members.length > 0;
  const isFlat = found
    ? !text.slice(found.start, found.end).includes('\n') && isLong(text, found)
    : isOneLine;
  const rendered = render(nested, unit, depth + 1, isFlat);
  if (found) return text.slice(0, found.start) + rendered + text.slice(found.end);
  const last = members.at(-1);
  const indent = isOneLine ? ' ' : `\n${unit.repeat(depth + 1)}`;
  const added = `${indent}${JSON.stringify(key)}: ${rendered}`;
  if (last) return `${text.slice(0, last.end)},${added}${text.slice(last.end)}`;
  return `${text.slice(0, start + 1)}${added}\n${unit.repeat(depth)}${text.slice(end - 1)}`;
}

/** A list with something in it keeps its lines; an empty one says nothing of how it should look. */
function isLong(text: string, { start, end }: Member): boolean {
  return end - start > 2 && text[start] === '[' && text.slice(start + 1, end - 1).trim() !== '';
}

function render(value: unknown, unit: string, depth: number, isFlat: boolean): string {
  if (isFlat) return JSON.stringify(value).replace(/","/g, '", "');
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${unit.repeat(depth)}`);
}

interface Member {
  key: string;
  /** Of the value. */
  start: number;
  end: number;
}

function membersOf(text: string, start: number): { members: Member[]; end: number } {
  const members: Member[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== '}' && at < text.length) {
    const keyEnd = skipString(text, at);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, valueStart);
    members.push({ key: JSON.parse(text.slice(at, keyEnd)) as string, start: valueStart, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return { members, end: at + 1 };
}

function skipValue(text: string, start: number): number {
  if (text[start] === '"') return skipString(text, start);
  if (text[start] !== '{' && text[start] !== '[')
    return start + (/^[^\s,\]}]*/.exec(text.slice(start))?.[0].length ?? 0);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = skipString(text, at) - 1;
    if (character === '{' || character === '[') depth++;
    if ((character === '}' || character === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

function skipString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && /[ \t\r\n]/.test(text[at] ?? '')) at++;
  return at;
}
