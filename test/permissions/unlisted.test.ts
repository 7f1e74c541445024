import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untold } from '../../src/lib/told.ts';
import { listFolder } from '../../src/places/entries.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';

const source = (path: string) => JSON.stringify(join(import.meta.dirname, path));

/** A script that judges lines in a directory. */
const judging = `
import { closeSync, openSync, mkdirSync, chmodSync, writeFileSync } from 'node:fs';
import { lookAtFiles } from ${source('../../src/shell/look-files.ts')};
import { openRealPaths, resolveRealPath } from ${source('../../src/workspace/real-path.ts')};
import { judge } from ${source('cases.ts')};
const on = (command, cwd, mode = 'default') => judge({
  accesses: [{ kind: 'shell', command, cwd }],
  mode,
  workspace: { cwd, directories: [], realPath: resolveRealPath, openPaths: openRealPaths, look: lookAtFiles([cwd]) },
}).behaviour;
`;

test('only what is missing or no directory is empty', () => {
  const { path } = temporaryDirectory();
  writeFileSync(join(path, 'file'), '');
  symlinkSync('loop', join(path, 'loop'));
  expect(listFolder({ path: join(path, 'missing') })).toEqual([]);
  expect(listFolder({ path: join(path, 'file') })).toEqual([]);
  expect(listFolder({ path: join(path, 'loop') })).toBe(untold);
  expect(listFolder({ path: join(path, 'x'.repeat(5000)) })).toBe(untold);
});

test('a directory that cannot be opened for want of descriptors is not taken for empty', () => {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, 'work/sub'), { recursive: true });
  writeFileSync(join(path, 'outside.txt'), 'OUT');
  symlinkSync('../../outside.txt', join(path, 'work/sub/l'));
  const script = `${judging}
const cwd = resolveRealPath(process.argv[2]);
on('ls', cwd);
const open = [];
try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
const lines = ['grep -R O sub', 'grep -R O s*', 'cat sub/*'].map((line) => on(line, cwd));
const kept = on('rm -r sub', cwd, 'acceptEdits');
for (const one of open) closeSync(one);
console.log(JSON.stringify([...lines, kept]));`;
  const file = join(path, 'script.ts');
  writeFileSync(file, script);
  const command = 'ulimit -n 200 && exec "$0" "$1" "$2"';
  const shown = execFileSync('bash', ['-c', command, process.execPath, file, join(path, 'work')], {
    encoding: 'utf8',
  });
  expect(JSON.parse(shown)).toEqual(['ask', 'ask', 'ask', 'ask']);
});

test('a directory that may not be listed is empty to a search, and unknown to what moves or removes it', async () => {
  const code = `${judging}
export default (_, directory) => {
  const cwd = resolveRealPath(directory);
  mkdirSync(cwd + '/sub/d/.vscode', { recursive: true });
  writeFileSync(cwd + '/sub/a.txt', 'x');
  chmodSync(cwd + '/sub/d', 0o311);
  const found = [on('grep -R x sub', cwd), on('mv sub dest', cwd, 'acceptEdits'), on('rm -r sub', cwd, 'acceptEdits')];
  chmodSync(cwd + '/sub/d', 0o755);
  return found;
};`;
  expect(await runUnprivileged<string[]>({ code })).toEqual(['allow', 'ask', 'ask']);
});
