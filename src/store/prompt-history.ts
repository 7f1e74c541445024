import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { ensurePrivateDirectory } from '../lib/files/atomic.ts';
import { withFileLock } from '../lib/files/file-lock.ts';
import { describeFileError } from '../lib/files/files.ts';
import { openJsonlWriter, readJsonlTail } from '../lib/jsonl/jsonl.ts';
import { fail, getErrorCode, ok, type Result } from '../lib/result.ts';
import { boundText } from '../lib/text/text.ts';

export type PastedRange = readonly [from: number, to: number];

/** A prompt as the user sent it. */
export interface PromptEntry {
  text: string;
  /** The working directory. */
  cwd: string;
  /** ISO 8601. */
  at: string;
  /** Where pasted text is that was shown by a name instead: from and to, in order. */
  pasted?: readonly PastedRange[];
  sessionId?: string;
}

export interface PromptQuery {
  /** Only prompts typed in this directory. */
  cwd?: string;
  /** Only prompts that contain these characters, case-insensitive. */
  containing?: string;
  /** 100 unless given. */
  limit?: number;
}

/**
 * Prompts typed by the user, across all sessions and processes: `history.jsonl` in Cadre's home. Each prompt is one write at
 * its end, so several processes may append. When it has grown to `maxBytes` it replaces `history.old.jsonl`: together they
 * stay below twice that.
 */
export interface PromptHistory {
  /** Known secrets are hidden first. */
  add(entry: Omit<PromptEntry, 'at'>): Promise<Result<void>>;
  /** Newest first, each text once. */
  find(query?: PromptQuery): Result<PromptEntry[]>;
}

export interface PromptHistoryParts {
  home: string;
  clock: Clock;
  /** Removes known secrets from text. */
  hide(text: string): string;
  maxBytes?: number;
  /** Saves nothing; earlier prompts can still be found. */
  isOff?: boolean;
}

const defaultMaxBytes = 4 * 1024 * 1024;
/** Of a longer prompt both ends are kept, and how much is missing. */
const maxCharacters = 100_000;

export function openPromptHistory(parts: PromptHistoryParts): PromptHistory {
  const path = join(parts.home, 'history.jsonl');
  const older = join(parts.home, 'history.old.jsonl');
  const maxBytes = parts.maxBytes ?? defaultMaxBytes;
  return {
    async add({ text, cwd, sessionId, pasted = [] }) {
      const shown = prepareText(text, pasted, parts.hide);
      if (parts.isOff || shown.text.trim() === '') return ok(undefined);
      const at = timestamp(parts.clock);
      const added = append(parts.home, path, { at, cwd, sessionId: sessionId || undefined, ...shown });
      return added.ok && readSize(path) > maxBytes ? turnOver(path, older, maxBytes, parts.clock) : added;
    },
    find(query = {}) {
      const { limit = 100 } = query;
      const search = new Search(query, limit);
      for (const one of [path, older]) {
        if (search.isDone || readSize(one) === 0) continue;
        const read = readJsonlTail(one, (found) => search.take(found));
        if (!read.ok) return read;
      }
      return ok(search.found);
    },
  };
}

/**
 * Without secrets, and bounded. If that changes the text, all from the first pasted part on counts as pasted: the words that
 * were typed before it decide what is done with the prompt.
 */
function prepareText(
  text: string,
  pasted: readonly PastedRange[],
  hide: (text: string) => string,
): Pick<PromptEntry, 'text' | 'pasted'> {
  const shown = boundText(hide(text), maxCharacters);
  const [first] = pasted;
  if (!first) return { text: shown };
  if (shown === text) return { text, pasted };
  const from = shown.startsWith(text.slice(0, first[0])) ? first[0] : 0;
  return { text: shown, pasted: [[from, shown.length]] };
}

/** In order, without overlap, within the text. */
function isRanges(value: unknown, length: number): value is readonly PastedRange[] {
  if (!Array.isArray(value)) return false;
  const places: unknown[] = [0, ...value.flat(), length];
  return (
    value.every((one) => Array.isArray(one) && one.length === 2) &&
    places.every((place, index) => Number.isInteger(place) && Number(place) >= Number(places[index - 1] ?? 0))
  );
}

function append(home: string, path: string, entry: PromptEntry): Result<void> {
  const made = ensurePrivateDirectory(home);
  if (!made.ok) return made;
  const opened = openJsonlWriter(path, 'either');
  if (!opened.ok) return opened;
  const written = opened.value.append(entry);
  opened.value.close();
  return written;
}

/** A process that is writing at this moment keeps writing to the file that was moved. */
function turnOver(path: string, older: string, maxBytes: number, clock: Clock): Promise<Result<void>> {
  return withFileLock(`${path}.lock`, clock, () => {
    try {
      // Another process may have been faster: a new file must not replace the full one.
      if (readSize(path) > maxBytes) renameSync(path, older);
      return ok(undefined);
    } catch (error) {
      return getErrorCode(error) === 'ENOENT' ? ok(undefined) : fail(describeFileError(error, path, 'move'));
    }
  });
}

function readSize(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

class Search {
  readonly found: PromptEntry[] = [];
  readonly #seen = new Set<string>();
  readonly #containing: string | undefined;

  constructor(
    private readonly query: PromptQuery,
    private readonly limit: number,
  ) {
    this.#containing = query.containing?.toLowerCase();
  }

  get isDone(): boolean {
    return this.found.length >= this.limit;
  }

  /** True when there is enough. Anything other than an entry is skipped. */
  take({ text, cwd, at, sessionId, pasted }: Record<string, unknown>): boolean {
    if (typeof text !== 'string' || typeof cwd !== 'string' || typeof at !== 'string') return false;
    const fits =
      (this.query.cwd === undefined || this.query.cwd === cwd) &&
      (this.#containing === undefined || text.toLowerCase().includes(this.#containing));
    if (!fits || this.#seen.has(text) || this.isDone) return this.isDone;
    this.#seen.add(text);
    this.found.push({
      text,
      cwd,
      at,
      sessionId: typeof sessionId === 'string' ? sessionId : undefined,
      pasted: isRanges(pasted, text.length) ? pasted : undefined,
    });
    return this.isDone;
  }
}
