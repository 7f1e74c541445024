export type FileKind =
  | { kind: 'text' }
  | { kind: 'image'; mediaType: string }
  | { kind: 'pdf' }
  | { kind: 'binary'; name: string };

/** Detected from the first bytes, since a name can say anything. A few kilobytes are enough. */
export function fileKind(head: Uint8Array): FileKind {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 16)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return { kind: 'image', mediaType: 'image/png' };
  if (start.startsWith('\xff\xd8\xff')) return { kind: 'image', mediaType: 'image/jpeg' };
  if (/^GIF8[79]a/.test(start)) return { kind: 'image', mediaType: 'image/gif' };
  if (/^RIFF....WEBP/s.test(start)) return { kind: 'image', mediaType: 'image/webp' };
  if (start.startsWith('%PDF-')) return { kind: 'pdf' };
  const known = signatures.find(([signature]) => start.startsWith(signature));
  if (known) return { kind: 'binary', name: known[1] };
  if (start.startsWith('\xff\xfe')) return { kind: 'text' };
  return head.subarray(0, 8192).includes(0) ? { kind: 'binary', name: 'binary data' } : { kind: 'text' };
}

const signatures: [signature: string, name: string][] = [
  ['PK\x03\x04', 'a ZIP archive or office document; unzip -l in Bash lists it'],
  ['\x1f\x8b', 'gzip data; zcat in Bash shows it'],
  ['BZh', 'bzip2 data; bzcat in Bash shows it'],
  ['\xfd7zXZ\0', 'xz data; xzcat in Bash shows it'],
  ['\x28\xb5\x2f\xfd', 'zstd data; zstdcat in Bash shows it'],
  ['\x7fELF', 'an ELF program or library'],
  ['\xcf\xfa\xed\xfe', 'a Mach-O program or library'],
  ['SQLite format 3\0', 'an SQLite database; sqlite3 in Bash queries it'],
  ['\0asm', 'a WebAssembly module'],
];
