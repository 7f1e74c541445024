import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { hashBytes } from '../lib/hash.ts';
import type { Problem } from '../lib/result.ts';
import { boundText } from '../lib/text/text.ts';
import type { Outputs } from '../protocol/tool.ts';

/** A session's directory for outputs that are too large for a context. It is made when first needed. */
export function createOutputs(directory: string): Outputs {
  return {
    pathFor(name) {
      // When it cannot be made, whoever writes the file meets the same error and has the words for it.
      ensurePrivateDirectory(directory);
      return join(directory, formatFileName(name));
    },
  };
}

export interface StoredText {
  /** What goes into the context. */
  text: string;
  /** Where the whole text is, when it did not fit. */
  path?: string;
  /** Why the whole text could not be kept. */
  problem?: Problem;
}

/** Keeps a text of more than `limit` characters in a file, and hands back its ends and where the rest is. */
export function storeLargeResult(outputs: Outputs, name: string, text: string, limit: number): StoredText {
  if (text.length <= limit) return { text };
  const path = outputs.pathFor(name);
  const written = writeAtomic(path, text);
  const bounded = boundText(text, limit);
  if (written.ok) {
    return { text: `${bounded}\n\n[All ${text.length} characters are in ${path}]`, path };
  }
  const note = `[The rest could not be kept. ${written.problem.message}]`;
  return { text: `${bounded}\n\n${note}`, problem: written.problem };
}

/** A plain file name. One that had to be changed gets a hash, so that two never become the same. */
function formatFileName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^\.+/, '');
  if (plain === name && plain !== '' && plain.length <= 120) return plain;
  return `${plain.slice(0, 100) || 'output'}-${hashBytes(name).slice(0, 8)}`;
}
