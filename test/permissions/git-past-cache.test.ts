import { expect } from 'bun:test';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../support/index.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');

gitTest('a reference that is changed in place is read again, whatever its time of change says', () => {
  const ground = openGitGround({ 'a.txt': 'a\n' });
  ground.run('git branch side && echo TOKEN > .env && git add .env');
  const hidden = ground.run('git commit-tree -m hidden $(git write-tree)').trim();
  ground.run('git rm -q --cached .env && rm .env');
  const reference = join(ground.root, '.git/refs/heads/side');
  const time = new Date('2026-01-01');
  utimesSync(reference, time, time);
  const rules = { deny: ['Read(.env)'] };
  expect(ground.judge('git log -p side', rules)).toBe('allow allow');
  writeFileSync(reference, `${hidden}\n`);
  utimesSync(reference, time, time);
  expect(ground.run('git log -p side')).toContain('TOKEN');
  expect(ground.judge('git log -p side', rules)).toBe('ask deny');
});
