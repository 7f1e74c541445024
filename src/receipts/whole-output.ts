import { readBounded } from '../lib/files/read-bounded.ts';
import { hashBytes } from '../lib/hash.ts';
import type { SeenCall } from './evidence.ts';

const maxBytes = 64 * 1024 * 1024;

/**
 * All that a command printed: its result, or the stored output where the result has only a part of it, or none, as of a command
 * in the background. Undefined where that is no longer there, or is not what was recorded.
 */
export function readWholeOutput({ result, receipt }: SeenCall): string | undefined {
  if (receipt?.outputFile === undefined) return result?.text;
  const read = readBounded(receipt.outputFile, maxBytes, { refusesLinks: true });
  if (read.state !== 'read' || hashBytes(read.bytes) !== receipt.output) return undefined;
  return read.bytes.toString('utf8');
}
