import { createReadStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { openHash } from '../lib/hash.ts';
import { formatError } from '../lib/result.ts';
import type { Evidence } from './evidence.ts';

/** Outputs and contents of files that the records name by their hash, where they are still stored. */
export async function verifyStored(directory: string, { calls, changes }: Evidence): Promise<string[]> {
  const faults: string[] = [];
  for (const { id, receipt } of calls) {
    if (receipt?.outputFile === undefined || !isFile(receipt.outputFile)) continue;
    const hash = await hashFile(receipt.outputFile);
    if (hash !== receipt.output)
      faults.push(`The stored output of call ${id} is not what was recorded: ${receipt.outputFile}`);
  }
  const kept = new Set(changes.flatMap(({ before, after }) => [before, after]).filter(isHash));
  for (const name of kept) {
    const path = join(directory, 'file-history', name);
    if (isFile(path) && (await hashFile(path)) !== name)
      faults.push(`The kept content of a file does not have the hash that is its name: ${path}`);
  }
  return faults;
}

function isHash(state: string | null | undefined): state is string {
  return typeof state === 'string' && /^[0-9a-f]{64}$/.test(state);
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function hashFile(path: string): Promise<string> {
  const hash = openHash();
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    return `unreadable: ${formatError(error)}`;
  }
  return hash.digest();
}
