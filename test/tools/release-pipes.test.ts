import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { globTool } from '../../src/tools/search/glob.ts';
import { grepTool } from '../../src/tools/search/grep.ts';
import { installedRipgrep, locateRipgrep } from '../../src/tools/search/ripgrep.ts';
import { call, toolContextForTests } from './support.ts';

test('a search does not wait for named pipes in the place of ignore files, wherever they are', async () => {
  const context = toolContextForTests();
  const locate = locateRipgrep(installedRipgrep(), '/nonexistent');
  const at = (name: string) => join(context.root, name);
  mkdirSync(at('a/b'), { recursive: true });
  writeFileSync(at('a/b/found.txt'), 'needle\n');
  for (const pipe of ['.gitignore', '.ignore', 'a/.rgignore', 'a/b/.gitignore'])
    execFileSync('mkfifo', [at(pipe)]);
  const found = await call(grepTool(locate), { pattern: 'needle' }, context);
  expect(found).toMatchObject({ isError: false, text: expect.stringContaining('found.txt') });
  const named = await call(globTool(locate), { pattern: '**/*.txt' }, context);
  expect(named).toMatchObject({ isError: false, text: expect.stringContaining('found.txt') });
}, 50_000);
