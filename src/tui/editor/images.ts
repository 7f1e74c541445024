import { closeSync, readFileSync } from 'node:fs';
import { describeFileError } from '../../lib/files/files.ts';
import { fail, failure, ok, type Result } from '../../lib/result.ts';
import { fileKind } from '../../tools/files/file-kind.ts';
import { openFile } from '../../tools/files/open-file.ts';
import { resolveOwnPath } from '../../workspace/real-path.ts';
import type { Image } from './paste.ts';

/** The limit of providers for one image: 5 MB as base64. */
export const maxImageBytes = 3.75 * 1024 * 1024;

/** The path of an image, if nothing else was pasted, in the form terminals write when a file is dropped on them. */
export function findImagePath(pasted: string, home: string): string | undefined {
  const text = pasted.trim();
  if (text.length > 1000 || /[\r\n]/.test(text)) return undefined;
  const path = unquote(text);
  if (!/^(?:\/|~\/|\.{1,2}\/)/.test(path) || !/\.(?:png|jpe?g|gif|webp)$/i.test(path)) return undefined;
  return path.startsWith('~/') ? home + path.slice(1) : path;
}

export async function readImage(path: string): Promise<Result<Image>> {
  const opened = openFile(path, resolveOwnPath(path));
  if (!opened.ok) return opened;
  if (!opened.value) return failure(`File not found: ${path}`);
  const { descriptor, stat } = opened.value;
  try {
    if (stat.size > maxImageBytes) return tooLarge(path, stat.size);
    return decodeImage(readFileSync(descriptor), path);
  } catch (error) {
    return fail(describeFileError(error, path, 'read'));
  } finally {
    closeSync(descriptor);
  }
}

/** The type is detected from the bytes. `source` names the image in the error. */
export function decodeImage(bytes: Uint8Array, source: string): Result<Image> {
  const kind = fileKind(bytes);
  if (kind.kind !== 'image')
    return failure(`${source} is not an image that models accept (PNG, JPEG, GIF, WebP).`);
  if (bytes.length > maxImageBytes) return tooLarge(source, bytes.length);
  return ok({
    mediaType: kind.mediaType,
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    name: source,
  });
}

function tooLarge(source: string, size: number): Result<never> {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  return failure(`${source} is ${megabytes} MB; the limit is 3.75 MB. Make a smaller copy.`);
}

function unquote(text: string): string {
  if (text.startsWith('file://')) return decodeAddress(text.slice('file://'.length));
  const quoted = /^'([^']*)'$/.exec(text) ?? /^"([^"]*)"$/.exec(text);
  return quoted?.[1] ?? text.replace(/\\(.)/g, '$1');
}

function decodeAddress(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
