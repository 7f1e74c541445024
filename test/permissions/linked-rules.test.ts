import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { readFilter } from '../../src/permissions/read-filter.ts';
import type { Access } from '../../src/protocol/permission.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { openRealPaths, resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { judge, workspace as plain, read, rule, write } from './cases.ts';

function ground(links: Record<string, string>) {
  const cwd = resolveRealPath(temporaryDirectory().path);
  for (const name of ['real', 'other/deep']) mkdirSync(join(cwd, name), { recursive: true });
  for (const name of ['real/key', 'other/key', 'other/deep/key']) writeFileSync(join(cwd, name), 'x');
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(cwd, name));
  const workspace = {
    ...{ ...plain, cwd, directories: [], realPath: resolveRealPath, openPaths: openRealPaths },
    look: lookAtFiles([cwd]),
  };
  return { cwd, workspace };
}

const shell = (command: string, cwd: string) => ({ kind: 'shell' as const, command, cwd });

for (const text of ['secrets/**', 'secrets/*', 'secrets', 'secrets/', './secrets/**', 'secrets/key'])
  test(`a rule about ${text}, which is a link, holds for what it leads to`, () => {
    const { cwd, workspace } = ground({ secrets: 'real' });
    const on = (access: Access) =>
      judge({ accesses: [access], deny: [`Read(${text})`, `Edit(${text})`], mode: 'acceptEdits', workspace })
        .behaviour;
    expect(['real/key', 'secrets/key', 'other/key'].map((name) => on(read(join(cwd, name))))).toEqual([
      'deny',
      'deny',
      'allow',
    ]);
    expect(['real/key', 'other/key'].map((name) => on(write(join(cwd, name))))).toEqual(['deny', 'allow']);
    const lines = ['cat real/key', 'cat real/*', 'cat other/key', 'grep -r x other'];
    expect(lines.map((line) => on(shell(line, cwd)))).toEqual(['deny', 'deny', 'allow', 'allow']);
    expect(on(shell('grep -r x real', cwd))).not.toBe('allow');
    const shows = readFilter({
      ...{ workspace, ceiling: openCeiling, role: fullRole, mode: 'default' },
      rules: [rule(`Read(${text})`, 'deny', cwd)],
    });
    expect(['real/key', 'other/key'].map((name) => shows(join(cwd, name)))).toEqual([false, true]);
  });

test('a rule that allows holds by the name and by the target, not by another link', () => {
  const { cwd, workspace } = ground({ open: 'real' });
  const verdict = (name: string) =>
    judge({ accesses: [write(join(cwd, name))], allow: ['Edit(open/**)'], workspace }).behaviour;
  expect(['real/key', 'open/key'].map(verdict)).toEqual(['ask', 'ask']);
});

test('the first literal names count, however deep the link is', () => {
  const { cwd, workspace } = ground({ 'other/led': 'deep' });
  const verdict = (name: string) =>
    judge({ accesses: [read(join(cwd, name))], deny: ['Read(other/led/**)'], workspace }).behaviour;
  expect(['other/deep/key', 'other/key'].map(verdict)).toEqual(['deny', 'allow']);
});
