import { closeSync, fstatSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { describeFileError, ensurePrivateDirectory } from '../../lib/files/files.ts';
import { openRegular } from '../../lib/files/open-regular.ts';
import { type JsonlWriter, openJsonlWriter } from '../../lib/jsonl/jsonl.ts';
import { fail, failure, getErrorCode, ok, type Result } from '../../lib/result.ts';
import { Books } from './books.ts';
import type { Ledger } from './ledger.ts';
import { type LedgerRecord, readRecord } from './records.ts';

/** Beside the session's other files. */
export function ledgerPath(sessionDirectory: string): string {
  return join(sessionDirectory, 'ledger.jsonl');
}

/**
 * A ledger in a file that the processes of one session share. Records are only appended, each by one write, so that the
 * file itself orders them: no lock is taken, and none can be left behind. The file is made with the first record.
 */
export function fileLedger(path: string, check: () => Result<void> = () => ok(undefined)): Ledger {
  return new FileLedger(path, check);
}

class FileLedger implements Ledger {
  readonly isShared = true;
  readonly #books = new Books();
  #writer: JsonlWriter | undefined;
  #reader: number | undefined;
  /** Where the last complete line that was read ends. */
  #position = 0;

  /** `check`: fails once another process has the session, and nothing may be written any more. */
  constructor(
    private readonly path: string,
    private readonly check: () => Result<void>,
  ) {}

  get books(): Books {
    return this.#books;
  }

  append(record: LedgerRecord): Result<void> {
    const held = this.check();
    if (!held.ok) return held;
    // Half a line left at the end of the file would swallow the first attempt.
    for (let attempt = 1; attempt <= 2; attempt++) {
      const writer = this.#openWriter();
      if (!writer.ok) return writer;
      const written = writer.value.append(record);
      if (!written.ok) return written;
      let isRead = false;
      const refreshed = this.#read((found) => {
        isRead ||= found.type === record.type && found.id === record.id;
      });
      if (!refreshed.ok || isRead) return refreshed;
    }
    return failure(
      `${this.path} does not contain what was written to it.`,
      'Check whether another program writes to it.',
    );
  }

  refresh(): Result<void> {
    return this.#read(() => {});
  }

  readAll(): Books {
    // Where the file cannot be read, earlier records are known.
    this.refresh();
    return this.#books;
  }

  close(): void {
    this.#writer?.close();
    this.#writer = undefined;
    if (this.#reader !== undefined) closeSync(this.#reader);
    this.#reader = undefined;
  }

  #openWriter(): Result<JsonlWriter> {
    if (this.#writer) return ok(this.#writer);
    const made = ensurePrivateDirectory(dirname(this.path));
    if (!made.ok) return made;
    const opened = openJsonlWriter(this.path, 'either');
    if (opened.ok) this.#writer = opened.value;
    return opened;
  }

  #read(seen: (record: LedgerRecord) => void): Result<void> {
    try {
      this.#reader ??= openRegular(this.path);
      for (const line of this.#newLines(this.#reader)) {
        const record = parse(line);
        if (!record) continue;
        this.#books.apply(record);
        seen(record);
      }
      return ok(undefined);
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') return ok(undefined);
      return fail(describeFileError(error, this.path, 'read'));
    }
  }

  #newLines(file: number): string[] {
    const size = fstatSync(file).size;
    if (size <= this.#position) return [];
    const bytes = Buffer.allocUnsafe(size - this.#position);
    const length = readSync(file, bytes, 0, bytes.length, this.#position);
    const end = bytes.subarray(0, length).lastIndexOf(0x0a) + 1;
    this.#position += end;
    return bytes.toString('utf8', 0, end).split('\n');
  }
}

function parse(line: string): LedgerRecord | undefined {
  const value = parseJson(line);
  return isRecord(value) ? readRecord(value) : undefined;
}
