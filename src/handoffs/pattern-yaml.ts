import type { Document, LineCounter } from 'yaml';
import { formatError, ok, type Result, usage } from '../lib/result.ts';

const maxLength = 200_000;
const maxAliases = 20;
const maxDepth = 50;

/** A file as data, with what is needed to find the line of a field. */
export interface YamlFile {
  data: unknown;
  document: { document: Document; lines: LineCounter };
}

/** Reads YAML 1.2, of which JSON is a part. */
export async function parseYaml(file: string, source: string): Promise<Result<YamlFile>> {
  if (source.length > maxLength) return usage(`${file}: larger than ${maxLength} characters.`);
  const { LineCounter, isCollection, isPair, isScalar, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  try {
    const document = parseDocument(source, { schema: 'core', lineCounter: lines, logLevel: 'silent' });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault) {
      const reason = (fault.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
      return usage(`${file}:${fault.linePos?.[0].line ?? 1}: not valid YAML or JSON: ${reason}`);
    }
    let lost: number | undefined;
    // The library's own visit takes time with the square of the depth.
    const look = (node: unknown, left: number): boolean => {
      if (left < 0) return false;
      if (!isPair(node)) return !isCollection(node) || node.items.every((item) => look(item, left - 1));
      const { key, value } = node;
      // As data it would be the prototype of an object, and no field.
      if (isScalar(key) && key.value === '__proto__') lost ??= lines.linePos(key.range?.[0] ?? 0).line;
      return look(key, left) && look(value, left);
    };
    const tooDeep = () => usage(`${file}: nested more than ${maxDepth} deep.`);
    if (!look(document.contents, maxDepth)) return tooDeep();
    if (lost !== undefined) return usage(`${file}:${lost}: "__proto__" cannot be the name of a field.`);
    const data: unknown = document.toJS({ maxAliasCount: maxAliases });
    if (!isShallow(data, maxDepth)) return tooDeep();
    return ok({ data, document: { document, lines } });
  } catch (error) {
    return usage(`${file}: not read: ${formatError(error)}`);
  }
}

function isShallow(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return left > 0 && Object.values(value).every((inner) => isShallow(inner, left - 1));
}

/** The line of a field, or of the nearest one above it that exists. */
export function locateField(
  { document, lines }: YamlFile['document'],
  path: readonly PropertyKey[],
): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const keys = path.slice(0, length).map((key) => (/^\d+$/.test(String(key)) ? Number(key) : key));
    const found = length === 0 ? document.contents : document.getIn(keys, true);
    const range = (found as { range?: [number, number, number] | null } | undefined)?.range;
    if (range) return lines.linePos(range[0]).line;
  }
  return undefined;
}
