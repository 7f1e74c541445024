import { failure, ok, type Result } from '../../lib/result.ts';

export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /** All text directly in it, joined. */
  text: string;
}

const maxDepth = 64;
const maxElements = 500_000;

/**
 * Reads the XML that test runners write: elements, attributes, text, CDATA. A document type is refused, so there are no entities
 * but XML's own five and character references: nothing expands, and nothing is fetched.
 */
export function parseXml(source: string): Result<XmlElement> {
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open: XmlElement[] = [root];
  let count = 0;
  for (let at = 0; at < source.length; ) {
    const top = open.at(-1) ?? root;
    const next = source.indexOf('<', at);
    top.text += decode(source.slice(at, next === -1 ? source.length : next));
    if (next === -1) break;
    const special = specials.find(({ start }) => source.startsWith(start, next));
    if (special) {
      const end = source.indexOf(special.end, next + special.start.length);
      if (end === -1) return failure(`an unclosed ${special.start} in the XML`);
      if (special.isText) top.text += source.slice(next + special.start.length, end);
      at = end + special.end.length;
      continue;
    }
    if (source.startsWith('<!', next)) return failure('XML with a document type is not read');
    const end = findTagEnd(source, next);
    if (end === -1) return failure('an unclosed tag in the XML');
    const tag = source.slice(next + 1, end);
    at = end + 1;
    if (tag.startsWith('/')) {
      if (open.length === 1 || top.name !== tag.slice(1).trim())
        return failure(`</${tag.slice(1, 40)}> closes nothing`);
      open.pop();
      continue;
    }
    const element = readTag(tag.replace(/\/\s*$/, ''));
    if (!element) return failure(`<${tag.slice(0, 40)}> is not an element`);
    if (++count > maxElements || open.length > maxDepth) return failure('the XML is too large or too deep');
    top.children.push(element);
    if (!/\/\s*$/.test(tag)) open.push(element);
  }
  const [only, ...others] = root.children;
  if (open.length !== 1 || !only || others.length > 0) return failure('the XML is not complete');
  return ok(only);
}

const specials = [
  { start: '<![CDATA[', end: ']]>', isText: true },
  { start: '<!--', end: '-->', isText: false },
  { start: '<?', end: '?>', isText: false },
] as const;

/** A `>` in an attribute's value does not end the tag. */
function findTagEnd(source: string, start: number): number {
  let quote = '';
  for (let at = start + 1; at < source.length; at++) {
    const character = source[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return -1;
}

function readTag(tag: string): XmlElement | undefined {
  const name = /^[A-Za-z_][\w.:-]*/.exec(tag)?.[0];
  if (name === undefined) return undefined;
  const attributes: Record<string, string> = Object.create(null);
  for (const [, key = '', double, single] of tag.slice(name.length).matchAll(attribute))
    attributes[key] = decode(double ?? single ?? '');
  return { name, attributes, children: [], text: '' };
}

const attribute = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g,
    (whole, name, decimal, hex) => {
      if (name) return named[name] ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** Every element of this name, at any depth. */
export function* findElements(element: XmlElement, name: string): Generator<XmlElement> {
  if (element.name === name) yield element;
  for (const child of element.children) yield* findElements(child, name);
}
