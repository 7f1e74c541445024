import { renderValue } from '../../lib/fields/describe-value.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { visibleLine } from '../../lib/text/text.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The parts of a tool's result, each of a form that the client takes: it refuses the whole result for one that it does not know,
 * and what the call did would be lost. The same list if nothing has to change.
 */
export function repairContent(content: readonly unknown[]): readonly unknown[] {
  return content.every((part) => describeFault(part) === undefined)
    ? content
    : content.map((part) => {
        const fault = describeFault(part);
        return fault === undefined ? part : { type: 'text', text: `[${fault}]` };
      });
}

function describeFault(part: unknown): string | undefined {
  if (!isRecord(part)) return 'a part that is no object was left out';
  const known = typeof part.type === 'string' && Object.hasOwn(kinds, part.type) ? part.type : undefined;
  if (known === undefined) return `a part of unknown type: ${visibleLine(renderValue(part.type), 100)}`;
  const missing = kinds[known as keyof typeof kinds](part);
  return missing && `a part of type ${known} was left out: ${missing}`;
}

/** What is missing in a part of each kind. */
const kinds = {
  text: ({ text }: Fields) => (typeof text === 'string' ? undefined : 'it has no text'),
  image: describeBinary,
  audio: describeBinary,
  resource: ({ resource }: Fields) => {
    if (!isRecord(resource) || typeof resource.uri !== 'string') return 'it has no resource with a uri';
    if (typeof resource.text === 'string') return undefined;
    return isBase64(resource.blob) ? undefined : 'its resource has neither text nor data in base64';
  },
  resource_link: ({ uri, name }: Fields) =>
    typeof uri === 'string' && typeof name === 'string' ? undefined : 'it has no uri or no name',
} as const;

function describeBinary({ data, mimeType }: Fields): string | undefined {
  if (typeof mimeType !== 'string') return 'it has no mimeType';
  return isBase64(data) ? undefined : 'its data is not base64';
}

function isBase64(data: unknown): data is string {
  // Spaces first: a pattern that allows for them in two places takes quadratic time.
  return typeof data === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(data.replace(/\s+/g, ''));
}
