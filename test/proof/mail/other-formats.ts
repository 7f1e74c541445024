/**
 * The ways in which others keep mail, as far as their documentation says, under the same load: `other-formats.ts FORMAT FILE NAME COUNT`. Prints
 * how many messages were refused, and which rows were taken.
 */
import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { sleep, systemClock } from '../../../src/lib/clock.ts';

const [format = '', file = '', name = '', count = '0'] = process.argv.slice(2);

/** One message; false where the format refuses it. */
type Send = (n: number) => boolean | Promise<boolean>;

const formats: Record<string, () => Send> = {
  /** A JSON array that is read, extended and written again. */
  array: () => (n) => addToArray(n),
  /** The same behind a lock file that is made exclusively, with a limited number of attempts. */
  'locked-array': () => async (n) => {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (!takeLock()) {
        await sleep(systemClock, 5 + Math.random() * 2 ** attempt);
        continue;
      }
      try {
        return addToArray(n);
      } finally {
        rmSync(`${file}.lock`);
      }
    }
    return false;
  },
  /** One database for all processes, as it is opened by default. */
  sqlite: () => {
    const database = new Database(file);
    return (n) => {
      try {
        database.run('INSERT INTO mail (sender, n, taken) VALUES (?, ?, 0)', [name, n]);
        return true;
      } catch {
        return false;
      }
    };
  },
};

while (!existsSync(`${file}.go`)) await sleep(systemClock, 5);
if (format === 'sqlite-claim') console.log(JSON.stringify({ refused: 0, taken: await takeRows() }));
else {
  const send = formats[format]?.() ?? (() => false);
  let refused = 0;
  for (let n = 0; n < Number(count); n++) if (!(await send(n))) refused++;
  console.log(JSON.stringify({ refused, taken: [] }));
}

function addToArray(n: number): boolean {
  try {
    const mail = JSON.parse(readFileSync(file, 'utf8')) as unknown[];
    mail.push({ from: name, n, read: false });
    writeFileSync(file, JSON.stringify(mail));
    return true;
  } catch {
    // Half of what another process is writing.
    return false;
  }
}

function takeLock(): boolean {
  try {
    closeSync(openSync(`${file}.lock`, 'wx'));
    return true;
  } catch {
    return false;
  }
}

/** A row is looked for and then marked: two steps, as boards and queues do it that are claimed by an update. */
async function takeRows(): Promise<string[]> {
  const database = new Database(file);
  database.run('PRAGMA busy_timeout = 5000');
  const taken: string[] = [];
  for (;;) {
    const row = database.query('SELECT rowid AS id FROM mail WHERE taken = 0 LIMIT 1').get() as {
      id: number;
    } | null;
    if (!row) return taken;
    await sleep(systemClock, 0);
    database.run('UPDATE mail SET taken = 1 WHERE rowid = ?', [row.id]);
    taken.push(String(row.id));
  }
}
