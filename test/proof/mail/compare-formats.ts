import { Database } from 'bun:sqlite';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOutput, startProgram } from './processes.ts';

interface Printed {
  refused: number;
  taken: string[];
}

/** The same number of processes and messages on formats of others: what they lose, refuse and give twice. */
export async function compareFormats(
  directory: string,
  senders: number,
  each: number,
): Promise<Record<string, number>> {
  const all = senders * each;
  const array = await runArray('array', directory, senders, each);
  const locked = await runArray('locked-array', directory, senders, each);
  const database = join(directory, 'mail.sqlite');
  new Database(database).run('CREATE TABLE mail (sender TEXT, n INTEGER, taken INTEGER)');
  const sqlite = await runAll('sqlite', database, senders, each);
  const rows = Math.min(200, all);
  const claims = join(directory, 'claims.sqlite');
  const prepared = new Database(claims);
  prepared.run('CREATE TABLE mail (sender TEXT, n INTEGER, taken INTEGER)');
  prepared.transaction(() => {
    for (let n = 0; n < rows; n++)
      prepared.run('INSERT INTO mail (sender, n, taken) VALUES (?, ?, 0)', ['s', n]);
  })();
  const taken = (await runAll('sqlite-claim', claims, Math.min(8, senders), 0)).flatMap((one) => one.taken);
  return {
    'JSON array: lost': array.lost,
    'JSON array: refused': array.refused,
    'with a lock file: lost': locked.lost,
    'with a lock file: refused': locked.refused,
    'SQLite: refused': sumRefused(sqlite),
    'SQLite, check then write: rows': rows,
    'of them taken twice or more': countRepeated(taken),
  };
}

async function runArray(format: string, directory: string, senders: number, each: number) {
  const file = join(directory, `${format}.json`);
  writeFileSync(file, '[]');
  const refused = sumRefused(await runAll(format, file, senders, each));
  return { refused, lost: senders * each - refused - countArray(file) };
}

async function runAll(format: string, file: string, senders: number, each: number): Promise<Printed[]> {
  const started = Array.from({ length: senders }, (_, index) =>
    startProgram('other-formats.ts', [format, file, `s${index}`, String(each)]),
  );
  const outputs = started.map(readOutput);
  writeFileSync(`${file}.go`, '');
  return (await Promise.all(outputs)).map((text) => JSON.parse(text) as Printed);
}

function sumRefused(printed: readonly Printed[]): number {
  return printed.reduce((sum, { refused }) => sum + refused, 0);
}

/** None where the file was left torn. */
function countArray(file: string): number {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as unknown[]).length;
  } catch {
    return 0;
  }
}

function countRepeated(taken: readonly string[]): number {
  return [...Map.groupBy(taken, (id) => id).values()].filter((times) => times.length > 1).length;
}
