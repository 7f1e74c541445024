import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const gitTest = needs('git');

gitTest('an index that is a named pipe is refused, and not waited for', () => {
  const root = resolveRealPath(temporaryDirectory().path);
  const source = join(import.meta.dirname, '../../src');
  const script = `
import { systemClock } from '${source}/lib/clock.ts';
import { withIndexCopy } from '${source}/workspace/worktrees/index-copy.ts';
const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
const done = await withIndexCopy('${root}/work', { home: '${root}/home', env, clock: systemClock }, async () => ({ ok: true, value: 1 }));
console.log(JSON.stringify(done));
process.exit(0);
`;
  spawnSync('bash', ['-c', 'mkdir work home && git init -q work && mkfifo work/.git/index'], { cwd: root });
  const end = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8', timeout: 20_000 });
  expect(`${end.stdout}${end.stderr}`).toContain('.git/index is a named pipe');
});
