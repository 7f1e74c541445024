import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { hashBytes } from '../lib/hash.ts';
import type { Problem } from '../lib/result.ts';
import { boundText } from '../lib/text/text.ts';
import type { Outputs } from '../protocol/tool.ts';

/** A session's directory for outputs that are too large for a context. Created on first use. */
export function createOutputs(directory: string): Outputs {
  return {
    pathFor(name) {
      // If this fails, writing the file fails with the same error and reports it.
      ensurePrivateDirectory(directory);
      return join(directory, formatFileName(name));
    },
  };
}

export interface StoredText {
  /** The part that goes into the context. */
  text: string;
  /** The file with the whole text, if it did not fit. */
  path?: string;
  /** Why the whole text could not be saved. */
  problem?: Problem;
}

/** Saves text of more than `limit` characters in a file, and returns its beginning and end and the file's path. */
export function storeLargeResult(outputs: Outputs, name: string, text: string, limit: number): StoredText {
  if (text.length <= limit) return { text };
  const path = outputs.pathFor(name);
  const written = writeAtomic(path, text);
  const bounded = boundText(text, limit);
  if (written.ok) {
    return { text: `${bounded}\n\n[All ${text.length} characters are in ${path}]`, path };
  }
  const note = `[The rest could not be saved. ${written.problem.message}]`;
  return { text: `${bounded}\n\n${note}`, problem: written.problem };
}

/** A plain file name. A changed one gets a hash, so that two names never become the same. */
function formatFileName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^\.+/, '');
  if (plain === name && plain !== '' && plain.length <= 120) return plain;
  return `${plain.slice(0, 100) || 'output'}-${hashBytes(name).slice(0, 8)}`;
}
