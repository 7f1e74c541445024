import { writeFileSync } from 'node:fs';
import { renderValue } from '../lib/fields/describe-value.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Outputs, ResultContent, ToolResult } from '../protocol/index.ts';

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** In base64; providers refuse larger ones. */
const maxImageSize = 5 * 1024 * 1024;
const maxParts = 100;

/** Where content is stored that a model cannot read. */
export interface Keeping {
  outputs: Outputs;
  toolUseId: string;
}

/**
 * A server's result as a tool's: text and images for the model, everything else as named files. The loop limits its
 * length.
 */
export function toToolResult(result: unknown, keeping: Keeping): ToolResult {
  const given = isRecord(result) ? result : {};
  const parts = Array.isArray(given.content) ? given.content : [];
  const content = parts.slice(0, maxParts).flatMap((part, index) => convertPart(part, keeping, index));
  if (parts.length > maxParts) content.push(text(`[… ${parts.length - maxParts} more parts omitted]`));
  const { structuredContent } = given;
  // Servers repeat it as text for clients that do not read it; if one does not, it is the only content.
  if (structuredContent !== undefined && !content.some((part) => part.type === 'text'))
    content.push(text(JSON.stringify(structuredContent)));
  if (content.length === 0) content.push(text('(the tool returned nothing)'));
  return {
    content,
    isError: given.isError === true,
    data: structuredContent === undefined ? undefined : { structuredContent },
  };
}

export function resourceParts(contents: unknown, keeping: Keeping): ResultContent[] {
  const list = Array.isArray(contents) ? contents : [];
  return list.slice(0, maxParts).flatMap((one, index) => convertResource(one, keeping, index));
}

function convertPart(part: unknown, keeping: Keeping, index: number): ResultContent[] {
  if (!isRecord(part)) return [];
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? [text(part.text)] : [];
    case 'image':
      return convertBinary(part.data, part.mimeType, keeping, index);
    case 'audio':
      return convertBinary(part.data, part.mimeType, keeping, index);
    case 'resource':
      return convertResource(part.resource, keeping, index);
    case 'resource_link':
      return [text(`[resource ${line(part.uri)}${part.name === undefined ? '' : ` (${line(part.name)})`}]`)];
    default:
      return [text(`[a part of unknown type: ${line(part.type)}]`)];
  }
}

function convertResource(resource: unknown, keeping: Keeping, index: number): ResultContent[] {
  if (!isRecord(resource)) return [];
  const head = `[resource ${line(resource.uri)}]`;
  if (typeof resource.text === 'string') return [text(`${head}\n${resource.text}`)];
  return [text(head), ...convertBinary(resource.blob, resource.mimeType, keeping, index)];
}

function convertBinary(data: unknown, mimeType: unknown, keeping: Keeping, index: number): ResultContent[] {
  // Spaces are removed first: a pattern that allows for them in two places takes quadratic time.
  const base64 = typeof data === 'string' ? data.replace(/\s+/g, '') : '!';
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return [text('[data that is not base64 was omitted]')];
  const type = typeof mimeType === 'string' ? mimeType.toLowerCase() : '';
  if (imageTypes.includes(type) && base64.length <= maxImageSize && base64 !== '')
    return [{ type: 'image', source: { type: 'base64', media_type: type, data: base64 } }];
  const path = keeping.outputs.pathFor(`${safe(keeping.toolUseId)}-${index}.bin`);
  const bytes = Buffer.from(base64, 'base64');
  try {
    writeFileSync(path, bytes, { mode: 0o600 });
  } catch {
    return [text(`[${bytes.length} bytes of ${line(type || 'data')} could not be saved]`)];
  }
  return [text(`[${bytes.length} bytes of ${line(type || 'data')}: ${path}]`)];
}

function safe(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 80);
}

function line(value: unknown): string {
  return visibleLine(renderValue(value), 500);
}

function text(value: string): ResultContent {
  return { type: 'text', text: value };
}
