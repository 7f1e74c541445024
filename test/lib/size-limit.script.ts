/** Run under `ulimit -f 2`: lets the limit fall on every position of a record, and reports what was not right. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openJsonlWriter } from '../../src/lib/jsonl/jsonl.ts';

const limit = 2048;
const directory = process.argv[2] ?? '.';
const bad: string[] = [];
let refused = 0;
let message = '';

for (let padding = 0; padding < 80; padding++) {
  const path = join(directory, `${padding}.jsonl`);
  const opened = openJsonlWriter(path, 'create');
  if (!opened.ok) throw new Error(opened.problem.message);
  opened.value.append({ padding: 'x'.repeat(limit - 80 - 15 + padding) });
  const before = readFileSync(path, 'utf8');
  const result = opened.value.append({ text: 'y'.repeat(69) });
  const after = readFileSync(path, 'utf8');
  const small = opened.value.append({});
  if (result.ok) {
    if (!after.endsWith('"}\n') || after === before) bad.push(`${padding}: said ok`);
  } else {
    refused++;
    message = result.problem.message;
    if (after !== before) bad.push(`${padding}: left ${after.slice(before.length)}`);
    if (small.ok && readFileSync(path, 'utf8') !== `${before}{}\n`) bad.push(`${padding}: did not go on`);
  }
  opened.value.close();
}

console.log(JSON.stringify({ bad, refused, message }));
