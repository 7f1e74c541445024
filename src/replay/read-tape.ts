import { readJsonl } from '../lib/jsonl/jsonl.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { entrySchema, headerSchema, type TapeEntry, type TapeHeader, tapeFormat } from './tape.ts';

export interface Tape {
  path: string;
  header: TapeHeader;
  /** In order; names still replace places. */
  entries: TapeLine[];
}

export interface TapeLine {
  line: number;
  entry: TapeEntry;
}

/** Reads a whole tape, or says what is wrong with it: half a recording cannot be told from a run that went wrong. */
export async function readTape(path: string): Promise<Result<Tape>> {
  let header: TapeHeader | undefined;
  let wrong: Result<never> | undefined;
  const entries: TapeLine[] = [];
  const read = await readJsonl(path, {
    onRecord(record, { line }) {
      const problem = header ? takeEntry(record, line) : takeHeader(record);
      if (problem) wrong = usage(`${path}, line ${line}: ${problem}`, again);
      return problem === undefined;
    },
    onDamage({ line, reason }) {
      wrong ??= usage(`${path}, line ${line}: ${reason}.`, again);
    },
  });
  if (!read.ok) return usage(read.problem.message, read.problem.hint);
  if (wrong) return wrong;
  return header ? ok({ path, header, entries }) : usage(`${path} is empty, so it is not a tape.`, again);

  function takeHeader(record: Record<string, unknown>): string | undefined {
    const parsed = headerSchema.safeParse(record);
    if (!parsed.success) return 'this is not a tape; expected a first line of type cadre-tape.';
    if (parsed.data.format !== tapeFormat)
      return `the tape has format ${parsed.data.format}; this version of Cadre reads format ${tapeFormat}.`;
    header = parsed.data;
    return undefined;
  }

  function takeEntry(record: Record<string, unknown>, line: number): string | undefined {
    const parsed = entrySchema.safeParse(record);
    if (!parsed.success) return `unexpected ${whatIsWrong(parsed.error.issues[0])}.`;
    entries.push({ line, entry: parsed.data as unknown as TapeEntry });
    return undefined;
  }
}

const again = 'Record the run again with --record, in a new file.';

function whatIsWrong(issue: { path: PropertyKey[]; message: string } | undefined): string {
  const field = issue?.path.map(String).join('.');
  return `${field || 'line'} (${issue?.message ?? 'unknown'})`;
}
