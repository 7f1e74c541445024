import { isMap, isScalar, LineCounter, type ParsedNode, parseDocument, type YAMLMap } from 'yaml';
import { isRecord } from '../fields/field-values.ts';
import { formatError } from '../result.ts';
import type { Block, FrontmatterProblem } from './frontmatter-block.ts';

/**
 * Reads a block as YAML 1.2: no tags, few aliases, no deep nesting. If it is not valid YAML, fields that would be valid when
 * quoted are quoted; if that does not help either, the first error is reported.
 */
export function readYamlBlock(source: string): Block | FrontmatterProblem {
  const read = readStrictly(source);
  if (!('reason' in read)) return read;
  const { text, notes, indented } = quoteFields(source);
  if (indented) return indented;
  if (notes.length === 0) return read;
  const again = readStrictly(text);
  return 'reason' in again ? read : { ...again, notes: [...notes, ...again.notes] };
}

const maxAliases = 20;

function readStrictly(source: string): Block | FrontmatterProblem {
  try {
    const lineCounter = new LineCounter();
    const document = parseDocument(source, {
      ...{ schema: 'core', lineCounter, logLevel: 'silent', uniqueKeys: false },
    });
    // A warning is an unknown tag or directive: the author meant something that is not supported.
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault)
      return { line: fault.linePos?.[0].line ?? 1, reason: `not valid YAML: ${sentence(fault.message)}` };
    const { contents } = document;
    const data = bare(document.toJS({ maxAliasCount: maxAliases }), { nodes: maxNodes }, 0);
    if (data === null) return { data: Object.create(null), lines: new Map(), notes: [] };
    if (!isMap(contents) || !isRecord(data))
      return { line: 1, reason: 'expected fields, such as name: value' };
    const merged = findKeyLines(contents.items, lineCounter).get('<<');
    // Ignoring it would leave out whatever the author limits by it.
    if (merged !== undefined)
      return { line: merged, reason: 'merge keys (<<) are not supported: write the fields out' };
    const notes = noteRepeated(contents, lineCounter);
    return { data, lines: findKeyLines(contents.items, lineCounter), notes };
  } catch (error) {
    // Endless aliases or brackets: the parser gives up, or we do.
    return { line: 1, reason: `not read: ${sentence(formatError(error))}` };
  }
}

/** The parser's messages continue with an excerpt of the source. */
function sentence(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

function findKeyLines(pairs: { key: ParsedNode }[], counter: LineCounter): Map<string, number> {
  return new Map(
    pairs.flatMap(({ key }) =>
      isScalar(key) && key.range ? [[String(key.value), counter.linePos(key.range[0]).line] as const] : [],
    ),
  );
}

/** A field that is given twice, at any depth: the last value is used. */
function noteRepeated(map: YAMLMap.Parsed, counter: LineCounter): Block['notes'] {
  const seen = new Set<string>();
  return map.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : undefined;
    const line = key.range ? counter.linePos(key.range[0]).line : 1;
    const isRepeated = name !== undefined && seen.has(name);
    if (name !== undefined) seen.add(name);
    return [
      ...(isRepeated
        ? [{ line, text: `${name.slice(0, 60)} is given more than once; this value is used` }]
        : []),
      ...(isMap(value) ? noteRepeated(value as YAMLMap.Parsed, counter) : []),
    ];
  });
}

const maxNodes = 10_000;
const maxDepth = 20;

/** A copy whose objects have no prototype, so that a field named `__proto__` is a field. */
function bare(value: unknown, left: { nodes: number }, depth: number): unknown {
  if (--left.nodes < 0) throw new Error(`more than ${maxNodes} values`);
  if (depth > maxDepth) throw new Error(`nested more than ${maxDepth} deep`);
  if (Array.isArray(value)) return value.map((item) => bare(item, left, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value)) copy[key] = bare(inner, left, depth + 1);
  return copy;
}

/** Prose, also where it begins with `*bold*`, `[a word]` or a quotation. An open bracket, a tag or an anchor is an error. */
const meantAsText =
  /^(?:[^\s\-?:,[\]{}#&*!|>'"]|[-?:]\S|\*(?:\s|$|\S*\*)|\[(?:[^[\]]|\[[^[\]]*\])*\]\s+\S|"[^"]*"\s*[^\s#]|'[^']*'\s*[^\s#])/;

/** Fields that limit what a file grants: one that is indented by mistake would be more of the text above it, and limit nothing. */
const limiting =
  /^[ \t]+((?:(?:dis)?allowed[-_]?|denied[-_]?)?tools|permission[-_]?mode|max[-_]?turns|isolation|host|model|hooks|mcp[-_]?servers|disable[-_]?model[-_]?invocation|user[-_]?invocable)[ \t]*:/i;

/** Quotes each field that is not valid YAML, with the lines that belong to it; line numbers stay. */
function quoteFields(source: string): {
  text: string;
  notes: Block['notes'];
  indented?: FrontmatterProblem;
} {
  const notes: Block['notes'] = [];
  let indented: FrontmatterProblem | undefined;
  let line = 1;
  const fields = source.split(/\n(?=[^\s#])/).map((field) => {
    const at = line;
    line += field.split('\n').length;
    const [, key, value = ''] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/s.exec(field) ?? [];
    if (key === undefined || !meantAsText.test(value) || !('reason' in readStrictly(field))) return field;
    indented ??= findIndentedLimit(field, at);
    notes.push({
      line: at,
      text: `the value of ${key} is not valid YAML; it was read as text. Put it in quotes`,
    });
    const words = value.split(/\s*\n\s*/);
    return `${key}: ${JSON.stringify(words.join(' ').trim())}${'\n'.repeat(words.length - 1)}`;
  });
  return { text: fields.join('\n'), notes, ...(indented ? { indented } : {}) };
}

function findIndentedLimit(field: string, line: number): FrontmatterProblem | undefined {
  for (const [at, row] of field.split('\n').entries()) {
    const name = limiting.exec(row)?.[1];
    if (name !== undefined)
      return { line: line + at, reason: `${name} is indented: expected it at the left edge` };
  }
  return undefined;
}
