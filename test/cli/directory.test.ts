import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { closedDirectory } from '../../src/commands/directory.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';

const source = join(import.meta.dirname, '../../src/commands/directory.ts');

test('a directory that may be read is no problem', () => {
  expect(closedDirectory(temporaryDirectory().path)).toBeUndefined();
});

test('one that is gone is named, with what to do', () => {
  const path = join(temporaryDirectory().path, 'gone');
  const message = `The directory ${path} no longer exists.`;
  expect(closedDirectory(path)).toMatchObject({ kind: 'usage', message });
});

test("somebody else's closed directory is named, with what to do", async () => {
  const found = await runUnprivileged({
    code: `
      import { chmodSync, mkdirSync } from 'node:fs';
      import { closedDirectory } from '${source}';
      export default () => {
        mkdirSync('closed');
        chmodSync('closed', 0);
        return closedDirectory('closed');
      };
    `,
  });
  expect(found).toMatchObject({ kind: 'usage', message: 'The directory closed is not readable.' });
});
