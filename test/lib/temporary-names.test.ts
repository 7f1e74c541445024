import { expect, test } from 'bun:test';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOfDead, nameByProcess } from '../../src/lib/files/temporary-names.ts';
import { temporaryDirectory } from '../support/index.ts';

test('G5 a name of this process is not that of a dead one, whatever is around it', () => {
  const name = nameByProcess();
  expect(nameByProcess()).not.toBe(name);
  for (const shown of [name, `.a.txt.${name}.tmp`, `.fifo-${name}`, `${name}.json`])
    expect(isOfDead(shown)).toBe(false);
});

test('G5 a name of a process that has ended is recognised', async () => {
  const script = `
    import { nameByProcess } from ${JSON.stringify(`${import.meta.dirname}/../../src/lib/files/temporary-names.ts`)};
    console.log(nameByProcess());`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  const name = (await new Response(child.stdout).text()).trim();
  await child.exited;
  for (const shown of [name, `.a.txt.${name}.tmp`, `.fifo-${name}`, `self-test-${name}`, `${name}.process`])
    expect(isOfDead(shown)).toBe(true);
});

test('G5 names of files of the user are not taken for ours', () => {
  for (const name of [
    'notes.tmp',
    '.a.txt.swp',
    '1.2.tmp',
    'report-2024.10.abcdefghijklmnopq.tmp',
    'a.1.b.tmp',
  ])
    expect(isOfDead(name)).toBe(false);
});

test('G5 a name of another boot or container is one of a dead process only when its file is old', () => {
  const { path } = temporaryDirectory();
  const file = join(path, '.a.txt.1.1~000000.abcdefghijklmnop.tmp');
  writeFileSync(file, '');
  expect(isOfDead(file)).toBe(false);
  const before = Date.now() / 1000 - 3600;
  utimesSync(file, before, before);
  expect(isOfDead(file)).toBe(true);
});
