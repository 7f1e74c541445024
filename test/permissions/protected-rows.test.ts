import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listProtected } from '../../src/places/list-protected.ts';
import { findProtectedName, mayBeProtected } from '../../src/places/protected-names.ts';
import { runsLater } from '../../src/places/runs-later.data.ts';
import { isProtectedName, sortEntries } from '../../src/sandbox/guard/names.ts';
import { listExposed } from '../../src/sandbox/guard/protected-places.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { judge } from './cases.ts';

/** What can be written in a row and is understood everywhere; no row begins with nothing but a star. */
const plain = '[a-z0-9._+-]';
const supported = new RegExp(`^(?:${plain}+/)?(?!\\*$)(?:${plain}|\\*(?!\\*))+$`);

const rows = runsLater.flatMap(({ names }) => names);

/** Paths that a row covers: a star may stand for nothing, for a name, and for one with a dot in it. */
function samplesOf(row: string): string[] {
  const names = row.includes('*') ? ['', 'x', 'a.b-C'].map((text) => row.replaceAll('*', text)) : [row];
  return names.flatMap((name) => [name, name.toUpperCase()]).filter((name) => !name.endsWith('/'));
}

test('every row is written in a way that all who read the table understand', () => {
  expect(rows.filter((row) => !supported.test(row))).toEqual([]);
  expect(rows.length).toBeGreaterThan(300);
  for (const row of ['?xrc', 'Name', '[ab]rc', '*/x', 'a*/x', 'a/b/c', '!x', 'a**b', '*', ''])
    expect([row, supported.test(row)]).toEqual([row, false]);
});

describe('what a row covers is protected', () => {
  test('for tools and for the shell', () => {
    for (const sample of rows.flatMap(samplesOf)) {
      const path = `/repo/deep/${sample}`;
      const file = { kind: 'write' as const, path };
      const written = judge({ accesses: [file], mode: 'acceptEdits', allow: ['Edit', 'Write', 'Edit(/**)'] });
      expect([sample, written.behaviour]).toEqual([sample, 'ask']);
      const shell = { kind: 'shell' as const, command: `touch 'deep/${sample}'`, cwd: '/repo' };
      expect([sample, judge({ accesses: [shell], mode: 'acceptEdits' }).behaviour]).toEqual([sample, 'ask']);
    }
  });

  test('by the look that comes before the table', () => {
    for (const sample of rows.flatMap(samplesOf)) {
      const [first = ''] = sample.split('/');
      expect([sample, mayBeProtected(first)]).toEqual([sample, true]);
    }
  });

  test('in the sandbox, which meets it among other names', () => {
    const root = resolveRealPath(temporaryDirectory().path);
    for (const sample of rows.flatMap(samplesOf)) {
      const path = join(root, sample);
      mkdirSync(path, { recursive: true });
      expect([sample, isProtectedName(dirname(path), basename(path))]).toEqual([sample, true]);
      expect([sample, listExposed(root), listProtected(root)]).toEqual([sample, [path], [path]]);
      const { met } = sortEntries(dirname(path), readdirSync(dirname(path), { withFileTypes: true }));
      expect([sample, met]).toEqual([sample, [path]]);
      rmSync(join(root, sample.split('/')[0] ?? ''), { recursive: true });
    }
  });
});

test('what programs of a home run or load by themselves is protected', () => {
  const names = [
    ...['.bash_completion', '.direnvrc', '.local/lib/python3.11/site-packages/usercustomize.py'],
    ...['.gradle/init.gradle', '.sbt/1.0/plugins/x.sbt', '.m2/settings.xml', '.gitk', '.abcde.conf'],
    ...['.ipython/profile_default/startup/x.py', '.jupyter/jupyter_notebook_config.py'],
    ...[
      '.julia/config/startup.jl',
      '.aws/config',
      '.kube/config',
      '.config/i3/config',
      '.config/sway/config',
    ],
    ...['.config/hypr/hyprland.conf', '.config/awesome/rc.lua', '.xmonad/xmonad.hs', '.mutt/muttrc'],
    ...['.config/mpv/scripts/x.lua', '.config/lf/lfrc', '.config/ranger/rc.conf', '.vimrc.local'],
    '.moon/toolchain.yml',
  ];
  expect(names.filter((name) => findProtectedName(`/home/u/${name}`, '/home/u') === undefined)).toEqual([]);
});

test('what builds write is not', () => {
  const names = [
    ...[
      '.gradle/8.5/fileHashes/x.bin',
      '.m2/repository/a.jar',
      '.moon/cache/x.json',
      '.aws/task-definition.json',
    ],
    ...['.stack/programs/x', '.julia/packages/x', '.mix/rebar3', '.kube/cache/x', '.ansible/collections/x'],
  ];
  expect(names.filter((name) => findProtectedName(`/home/u/${name}`, '/home/u') !== undefined)).toEqual([]);
});
