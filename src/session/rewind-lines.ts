import { diffLines } from '../lib/diff.ts';
import { readKept } from '../store/kept-bytes.ts';
import type { FilePlan } from '../store/rewind-files.ts';
import { decodeText } from '../tools/text-file.ts';

export interface LineCount {
  /** Lines that come and go in text files, all together. */
  insertions: number;
  deletions: number;
}

/** Larger ones are not compared line by line. */
const maxCompared = 1024 * 1024;

export function countLines(plans: readonly FilePlan[], directory: string): LineCount {
  const total = { insertions: 0, deletions: 0 };
  for (const { action, target, present } of plans) {
    if (action !== 'restore' && action !== 'remove') continue;
    const then = target === null ? undefined : readKept(directory, target);
    const before = present.kind === 'file' ? textIn(present.bytes) : '';
    const after = then?.ok ? textIn(then.value) : '';
    for (const { lines } of diffLines(before, after))
      for (const line of lines) {
        if (line.startsWith('+')) total.insertions++;
        if (line.startsWith('-')) total.deletions++;
      }
  }
  return total;
}

function textIn(bytes: Uint8Array): string {
  return bytes.length > maxCompared || bytes.includes(0) ? '' : decodeText(bytes).text;
}
