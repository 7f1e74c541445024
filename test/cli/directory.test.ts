import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { closedDirectory } from '../../src/commands/directory.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';
import { cadre, newPlace } from './support.ts';

const source = join(import.meta.dirname, '../../src/commands/directory.ts');

test('a directory that may be read is no problem', () => {
  expect(closedDirectory(temporaryDirectory().path)).toBeUndefined();
});

test('one that is gone is named, with what to do', () => {
  const path = join(temporaryDirectory().path, 'gone');
  const message = `The directory ${path} no longer exists.`;
  expect(closedDirectory(path)).toMatchObject({ kind: 'usage', message });
});

test('one whose name is not UTF-8 is told as that', async () => {
  const place = newPlace();
  const script = `mkdir $'x\\xff' && cd $'x\\xff' && exec "$@"`;
  const ended = await cadre(['-p', 'hi'], { place, under: ['bash', '-c', script, 'bash'] });
  expect(ended).toMatchObject({ code: 2, out: '' });
  expect(ended.err).toBe(
    'cadre: The current directory has a name that is not UTF-8.\nRename it, or start cadre in another directory.\n',
  );
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

test.each(['-p hi', 'why Bash', 'doctor'])(
  'cadre %s says when the path of the directory is too long',
  async (line) => {
    const args = line.split(' ');
    const place = newPlace();
    const deep = makeDeep(place.cwd, 4_050);
    const ended = await cadre(args, { place: { ...place, cwd: deep } });
    expect(ended).toMatchObject({
      code: 2,
      out: '',
      err: 'cadre: The path of the current directory is too long: 4050 bytes, at most 4000.\nStart cadre in a directory with a shorter path.\n',
    });
  },
);

function makeDeep(from: string, bytes: number): string {
  let path = from;
  while (path.length < bytes) {
    const left = bytes - path.length - 1;
    path = join(path, 'd'.repeat(left > 200 && left < 203 ? 100 : Math.min(200, left)));
  }
  mkdirSync(path, { recursive: true });
  return path;
}
