import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameByProcess } from '../../src/lib/files/temporary-names.ts';
import { findLeftFiles, sweepLeftFiles } from '../../src/session/left-files.ts';
import { createLayout } from '../../src/store/layout.ts';
import { temporaryDirectory } from '../support/index.ts';

const id = '00000000-0000-4000-8000-000000000001';
/** No process has such a number. */
const dead = { pid: 999_999_999, start: '1' };
const deadName = `${dead.pid}.${dead.start}.abcdefghijklmnop`;

function ground() {
  const { path } = temporaryDirectory();
  const layout = createLayout(join(path, 'home'));
  const put = (name: string, text = '') => {
    const file = join(path, name);
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(file, text);
    return file;
  };
  return { path, layout, put };
}

test('G5 temporary files, pipes, locks and self-tests of dead processes are found and swept; those of living ones stay', () => {
  const { layout, put } = ground();
  const left = [
    put(`home/.settings.json.${deadName}.tmp`),
    put(`home/pipes/.fifo-${deadName}`),
    put(`home/cache/agents-1.json.${deadName}.tmp`),
    put(`home/worktrees/abc/.one.json.${deadName}.tmp`),
    put('home/mcp.json.lock', JSON.stringify(dead)),
    put(`home/mcp.json.lock.${deadName}`),
    put(`home/running/1.${deadName}.new`),
    put('home/confined/x.json.abcdefgh.dead'),
    put(`home/sockets/${id}-${dead.pid}.sock`),
  ];
  const directories = [
    `home/self-test-${deadName}/canary`,
    'home/replays/abc/x',
    `home/looks/${deadName}/index`,
  ].map((name) => join(put(name), '..'));
  put(`home/replays/abc/running/${id}.json`, JSON.stringify(dead));
  const kept = [
    put(`home/.settings.json.${nameByProcess()}.tmp`),
    put(`home/pipes/.fifo-${nameByProcess()}`),
    put(`home/looks/${nameByProcess()}/index`),
    put('home/settings.json'),
    put('home/notes.tmp'),
    put('home/audit/2026-01.jsonl'),
  ];
  expect(findLeftFiles(layout).sort()).toEqual([...left, ...directories].sort());
  expect(sweepLeftFiles(layout)).toEqual([]);
  expect([...left, ...directories].filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
  expect(findLeftFiles(layout)).toEqual([]);
});

test('G5 the folder of data for looking at a repository is swept as well, also without anything in it', () => {
  const { path, layout } = ground();
  mkdirSync(join(path, 'home', 'looks'), { recursive: true });
  expect(sweepLeftFiles(layout)).toEqual([]);
  expect(existsSync(join(path, 'home', 'looks'))).toBe(false);
});

test('G5 what a killed session left beside its files, and beside the file that it was writing, is swept', () => {
  const { path, layout, put } = ground();
  put(`home/running/${id}.json`, JSON.stringify(dead));
  const session = layout.session('/a', id);
  const inHome = session.fileHistory.slice(path.length + 1);
  const left = [
    put(join(inHome, `.0123.${deadName}.tmp`)),
    put(join(inHome, '../tool-results/bash-toolu_1.cwd')),
    put(join(inHome, '../tool-results/agent1-bash-toolu_1.cwd')),
    put(join(inHome, '../tool-results/agent1-agent2-bash-toolu_1.cwd')),
    put(`repository/.a.txt.${deadName}.tmp`),
  ];
  const others = [put('repository/.a.txt.swp'), put(`elsewhere/.b.txt.${deadName}.tmp`)];
  const record = { type: 'file-history', path: join(path, 'repository/a.txt'), before: null };
  put(session.transcript.slice(path.length + 1), `${JSON.stringify(record)}\n{"type":"assis`);
  expect(findLeftFiles(layout).sort()).toEqual(left.sort());
  sweepLeftFiles(layout);
  expect(readdirSync(join(path, 'repository'))).toEqual(['.a.txt.swp']);
  expect(others.every((file) => existsSync(file))).toBe(true);
});

test('G5 what a session left that ended as it should is found by the one who looks everywhere', () => {
  const { path, layout, put } = ground();
  const inHome = layout.session('/a', id).fileHistory.slice(path.length + 1);
  const left = put(join(inHome, `.${deadName}.tmp`));
  const kept = put(join(inHome, 'a'.repeat(64)));
  expect(findLeftFiles(layout)).toEqual([]);
  expect(findLeftFiles(layout, true)).toEqual([left]);
  expect(sweepLeftFiles(layout, true)).toEqual([]);
  expect([existsSync(left), existsSync(kept)]).toEqual([false, true]);
});
