import { expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { needs, needsThat, nobody, runUnprivileged, temporaryDirectory } from './index.ts';

test('a temporary directory is private and can be removed early', () => {
  const directory = temporaryDirectory();
  expect(statSync(directory.path).mode & 0o777).toBe(0o700);
  directory.dispose();
  expect(existsSync(directory.path)).toBe(false);
  directory.dispose();
});

test('an unprivileged script is refused what only root may do', async () => {
  const seen = await runUnprivileged<{ uid: number; refused: string; directory: string; args: unknown[] }>(
    {
      code: `import { readFileSync } from 'node:fs';
        export default (args, directory) => {
          try { readFileSync('/etc/shadow'); return { refused: '' }; }
          catch (error) { return { uid: process.getuid(), refused: error.code, directory, args }; }
        };`,
    },
    ['x', 1],
  );
  expect(seen.refused).toBe('EACCES');
  expect(seen.args).toEqual(['x', 1]);
  if (process.getuid?.() === 0) expect(seen.uid).toBe(nobody);
});

test('a throw in an unprivileged script is thrown here', () => {
  const run = runUnprivileged({ code: 'export default () => { throw new Error("over there"); };' });
  return expect(run).rejects.toThrow('over there');
});

needs('sh')('a program that is there runs the test', () => {});

test('a program that is missing fails in CI and names the remedy', () => {
  const before = process.env.CI;
  process.env.CI = 'true';
  try {
    expect(() => needs('no-such-program')).toThrow(/no-such-program.*npm run setup:test/);
    expect(() => needsThat(false, 'a moon')).toThrow(/a moon/);
  } finally {
    if (before === undefined) delete process.env.CI;
    else process.env.CI = before;
  }
});
