import { expect, test } from 'bun:test';
import { prepareMountPoints } from '../../../src/sandbox/temporary.ts';
import { temporaryDirectory } from '../../support/index.ts';

function pathOfLength(bytes: number): string {
  const parts = '/tmp'.padEnd(bytes, `/${'d'.repeat(100)}`);
  return parts.replace(/\/$/, 'd');
}

test('a path below /tmp that does not fit into the private one is named, with what to do', () => {
  const { path: temporary } = temporaryDirectory();
  const made = (bytes: number) =>
    prepareMountPoints([{ path: pathOfLength(bytes), access: 'write', isDirectory: true }], temporary);
  expect(made(3_000)).toBeArray();
  expect(made(4_090)).toEqual({
    problem: expect.stringMatching(
      /^\/tmp\/d+.* is too long a path to be shown in it\. Work in a directory with a shorter path, or in one outside \/tmp\.$/,
    ),
  });
});
