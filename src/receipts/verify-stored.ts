import { createReadStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { openHash } from '../lib/hash.ts';
import { formatError } from '../lib/result.ts';
import type { Evidence } from './evidence.ts';

/** What the records name by its hash: faults where it is something else, and notes where it is no longer stored. */
export interface StoredCheck {
  faults: string[];
  notes: string[];
}

/** Outputs of commands, and contents of files. `isOwn`: of which agents it is asked. */
export async function verifyStored(
  directory: string,
  { calls, changes }: Evidence,
  isOwn: (agentId: string | null) => boolean,
): Promise<StoredCheck> {
  const faults: string[] = [];
  const notes: string[] = [];
  for (const { id, receipt, agentId } of calls) {
    if (receipt?.outputFile === undefined) continue;
    if (!isFile(receipt.outputFile)) {
      if (isOwn(agentId))
        notes.push(`The stored output of call ${id} is gone, so it was not compared: ${receipt.outputFile}`);
    } else if ((await hashFile(receipt.outputFile)) !== receipt.output)
      faults.push(`The stored output of call ${id} is not what was recorded: ${receipt.outputFile}`);
  }
  const own = changes.filter(({ agentId }) => isOwn(agentId));
  const wanted = new Set(own.flatMap(({ before, after }) => [before, after]).filter(isHash));
  const kept = new Set(changes.flatMap(({ before, after }) => [before, after]).filter(isHash));
  let gone = 0;
  for (const name of kept) {
    const path = join(directory, 'file-history', name);
    if (!isFile(path)) gone += wanted.has(name) ? 1 : 0;
    else if ((await hashFile(path)) !== name)
      faults.push(`The kept content of a file does not have the hash that is its name: ${path}`);
  }
  if (gone > 0)
    notes.push(
      gone === 1
        ? '1 content that the records name is not stored, so it was not compared.'
        : `${gone} contents that the records name are not stored, so they were not compared.`,
    );
  return { faults, notes };
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
