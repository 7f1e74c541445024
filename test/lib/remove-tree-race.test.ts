import { expect } from 'bun:test';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTreeMeanwhile } from '../../src/lib/files/remove-tree.ts';
import { needsThat, temporaryDirectory } from '../support/index.ts';

const test = needsThat(process.platform === 'linux', 'Linux');
const names = Array.from({ length: 40 }, (_, index) => `f${index}`);

function fill(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of names) writeFileSync(join(directory, name), '');
}

test('nothing outside is removed while another process swaps directories of the tree with links', async () => {
  const { path } = temporaryDirectory();
  const [top, outside] = [join(path, 'top'), join(path, 'outside')];
  const [inner, link] = [join(top, 'in'), join(top, 'link')];
  fill(outside);
  const script = join(import.meta.dirname, '../proof/race-swapper.ts');
  const swapper = spawn(process.execPath, [script, inner, link], { stdio: 'ignore' });
  try {
    for (let turn = 0; turn < 60; turn++) {
      fill(inner);
      fill(join(inner, 'deeper'));
      symlinkSync(outside, link);
      while (!(await removeTreeMeanwhile(top)));
      expect(readdirSync(outside).length).toBe(names.length);
    }
    expect(existsSync(top)).toBe(false);
  } finally {
    swapper.kill('SIGKILL');
  }
});
