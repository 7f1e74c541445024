import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeUtf8 } from '../../src/lib/text/utf8.ts';

/** Writes files by their names below a directory, and the directories on the way. */
export function writeTree(top: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(top, name), text);
  }
}

/**
 * Each path below a directory with what it is: `755 directory`, `-> target`, `644: content` or `644 other`. No link is
 * followed. Bytes that are not UTF-8 are characters of latin1.
 */
export function describeTree(
  top: string,
  isLeftOut: (name: string) => boolean = () => false,
): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (directory: Buffer, below: string) => {
    for (const bytes of readdirSync(directory, 'buffer').toSorted(Buffer.compare)) {
      const name = below + readText(bytes);
      if (isLeftOut(name)) continue;
      const path = Buffer.concat([directory, Buffer.from('/'), bytes]);
      found[name] = describeEntry(path);
      if (lstatSync(path).isDirectory()) visit(path, `${name}/`);
    }
  };
  visit(Buffer.from(top), '');
  return found;
}

function describeEntry(path: Buffer): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `-> ${readText(readlinkSync(path, 'buffer'))}`;
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isDirectory()) return `${mode} directory`;
  return stat.isFile() ? `${mode}: ${readText(readFileSync(path))}` : `${mode} other`;
}

function readText(bytes: Buffer): string {
  return decodeUtf8(bytes) ?? bytes.toString('latin1');
}
