import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { cadre, newPlace, unconfined } from './support.ts';

const gitTest = needs('git');

gitTest('a commit that a rule allows runs its hooks, also behind git status in the same line', async () => {
  const place = newPlace();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: place.cwd });
  git('init', '-q');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@b');
  const hooks = join(place.cwd, '.git', 'hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'pre-commit'), '#!/bin/sh\ntouch "$PWD/hooked"\n', { mode: 0o755 });
  const command = 'git status && git commit --allow-empty -m first';
  await using provider = await fakeProvider({ script: [call('Bash', { command }), 'Done.'] });
  const flags = ['-p', ...unconfined, '--allowedTools', 'Bash(git commit:*)', 'commit'];
  expect((await cadre(flags, { place, provider })).code).toBe(0);
  expect(git('log', '--format=%s').toString()).toBe('first\n');
  expect(existsSync(join(place.cwd, 'hooked'))).toBe(true);
});
