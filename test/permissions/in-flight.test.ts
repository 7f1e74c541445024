import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFootprint } from '../../src/permissions/footprint.ts';
import { findConflicts } from '../../src/permissions/interference.ts';
import { allow } from '../../src/places/reasons.ts';
import type { Access } from '../../src/protocol/permission.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { openRealPaths, resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';

const judged = allow('default', 'for the test');

/** Two calls, of which the first runs while the second would start: whether it may. */
function workspace() {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  for (const path of ['q', 'q2', 'src', 'deep/er', 'dist']) mkdirSync(join(root, path), { recursive: true });
  for (const path of ['a.txt', 'b.txt', 'x.txt', 'log', 'src/a.ts', 'dist/out.js'])
    writeFileSync(join(root, path), 'x\n');
  symlinkSync('deep/er', join(root, 's'));
  execFileSync('git', ['init', '-q', root]);
  const around = {
    ...{ cwd: root, directories: [], home: join(root, '../.cadre'), userHome: join(root, '..') },
    ...{ realPath: resolveRealPath, openPaths: openRealPaths, look: lookAtFiles([root]) },
  };
  const access = (text: string): Access =>
    text.startsWith('Write ')
      ? { kind: 'write', path: join(root, text.slice('Write '.length)) }
      : { kind: 'shell', command: text, cwd: root };
  const read = (text: string) => readFootprint([access(text)], judged, around);
  return (running: string, next: string): string => {
    const flight = { name: running, isForeground: true, readFootprint: () => read(running) };
    const footprint = read(next);
    if (!footprint) throw new Error(`nothing is known of ${next}`);
    return findConflicts([flight], footprint).length > 0 ? 'apart' : 'together';
  };
}

/** In either order. */
function expectAll(expected: string, pairs: readonly (readonly [string, string])[]): void {
  const beside = workspace();
  const found = pairs.map(([one, other]) => [one, other, beside(one, other), beside(other, one)]);
  expect(found).toEqual(pairs.map(([one, other]) => [one, other, expected, expected]));
}

test('a directory is not moved while a command works in it', () => {
  expectAll('apart', [
    ['cd q && sleep 4 && mkdir workflows && echo evil > workflows/ci.yml', 'mv q .github'],
    ['cd q2 && sleep 4 && echo evil > k.txt', 'mv q2 locked'],
    ['cd q && sleep 4 && cat ../x.txt', 'mv q deep/er/q'],
    ['cd deep/er && sleep 4 && cat ../../x.txt', 'mv deep/er er'],
    ['cd deep/er && sleep 4 && cat ../../x.txt', 'mv deep deeper'],
    ['cd s && sleep 4 && cat a', 'rm s'],
    ['cd q && sleep 4 && git add -A', 'mv q vendor.git/q'],
    ['cd q && sleep 4 && npm test', 'mv q vendor/q'],
  ]);
});

test('what is moved or copied gets no more content meanwhile', () => {
  expectAll('apart', [
    ['sleep 4; mv q .github', 'Write q/workflows/ci.yml'],
    ['sleep 4; mv q .github', 'mkdir -p q/workflows'],
    ['sleep 4; mv q .github', 'echo evil > q/x'],
    ['sleep 4; cp -r q .github', 'Write q/workflows/ci.yml'],
    ['mv q .github', 'Write q/workflows/ci.yml'],
    ['cp -r q .github', 'touch q/workflows'],
    ['sleep 4; mv q2 q', 'mv q .github'],
  ]);
});

test('git brings no links while a command that was judged uses a path', () => {
  expectAll('apart', [
    ['sleep 4; head -1 x.txt', 'git checkout -q evil'],
    ['sleep 4; echo evil > w.txt', 'git checkout -q evil'],
    ['tail -F log', 'git pull'],
    ['grep -r x src', 'git stash pop'],
    ['mkdir -p made/by', 'git merge other'],
    ['Write src/new.ts', 'git checkout -q evil'],
  ]);
});

test('a link or another file is not put where a command that was judged reads or writes', () => {
  expectAll('apart', [
    ['sleep 4; head -1 x.txt', 'ln -sf /etc/passwd x.txt'],
    ['sleep 4; head -1 x.txt', 'cp -a s x.txt'],
    ['sleep 4; echo evil > w.txt', 'mv s w.txt'],
    ['sleep 4; cat src/a.ts', 'ln -sfn /etc src'],
    ['sleep 4; cat s/a', 'rm s'],
    ['sleep 4; cat *.txt', "touch 'a /etc/x'"],
    ['sleep 4; prettier --write x.txt', 'ln -sf .git/config x.txt'],
    ['sleep 4; cat *.txt', 'mv s z.txt'],
    ['sleep 4; cat *.txt', 'ln -s /etc/passwd z.txt'],
    ['sleep 4; grep -R x src', 'cp -a s src/s'],
    ['sleep 4; head -1 x.txt', 'tar xf evil.tar'],
    ['sleep 4; find src -type f | xargs cat', 'ln -s /etc/passwd src/z'],
  ]);
});

test('git stores nothing while another call shows or opens what it keeps', () => {
  expectAll('apart', [
    ['sleep 4; git log -p', 'git add -A'],
    ['sleep 4; git diff --cached', 'git commit -am x'],
    ['sleep 4; git ls-files -z | xargs -0 cat', 'git add -A'],
  ]);
});

test('everything only reads: everything runs together', () => {
  expectAll('together', [
    ['tail -f log', 'cat *.txt'],
    ['sleep 4; cat s/../x.txt', 'grep -rn x .'],
    ['git log -p', 'git status'],
    ['find . -name "*.ts" | xargs cat', 'rg x'],
  ]);
});

test('everyday work beside a command in the background is not held up', () => {
  expectAll('together', [
    ['tail -f log', 'mkdir -p src/new'],
    ['tail -f log | grep --line-buffered ERROR', 'mv a.txt c.txt'],
    ['tail -f log', 'rm -rf dist'],
    ['tail -f log', 'Write src/a.ts'],
    ['tail -f log', 'echo x >> log'],
    ['tail -f log', 'git commit -m x'],
    ['npm run dev', 'cat *.txt'],
    ['npm run dev', 'git commit -am x'],
    ['npm run dev', 'Write src/a.ts'],
    ['npm run dev > dev.log 2>&1', 'sed -i s/x/y/ src/a.ts'],
    ['npm run dev', 'npm test 2>&1 | tail -5'],
    ['npm run dev', 'mv a.txt c.txt'],
    ['grep -rn x src', 'mv a.txt c.txt'],
    ['cat src/a.ts *.txt', 'mv a.txt src/c.txt'],
    ['git status', 'git commit -m x'],
    ['cd src && npm run dev', 'rm -rf ../dist'],
    ['Write src/a.ts', 'Write src/b.ts'],
    ['rm -rf dist && npm run build', 'cat src/a.ts'],
  ]);
});

test('a call that the user allowed as a whole, or that is confined, is in nobody’s way', () => {
  const beside = { cwd: '/w', directories: [], home: '/h', userHome: '/u', realPath: (path: string) => path };
  const accesses: Access[] = [{ kind: 'shell', command: 'git checkout x', cwd: '/w' }];
  expect(readFootprint(accesses, { ...judged, asWhole: true }, beside)).toBeUndefined();
  expect(readFootprint(accesses, { ...judged, confine: { writes: 'workspace' } }, beside)).toBeUndefined();
  expect(readFootprint([{ kind: 'read', path: '/w/a' }], judged, beside)).toBeUndefined();
});

test('landing counts as whatever a branch may bring', () => {
  expectAll('apart', [['sleep 4; head -1 x.txt', 'Write ../repo']]);
});

test('a push does not run beside a call that may change where it goes', () => {
  expectAll('apart', [
    ['sleep 1; git switch main', 'sleep 3; git push evil.git main'],
    ['sleep 1; git config branch.main.remote evil.git', 'sleep 3; git push'],
    ['git remote set-url origin evil.git', 'git push origin main'],
    ['git pull', 'git push'],
    ['git worktree add y main', 'git fetch y/evil.git'],
    ['git merge x', 'git rebase main'],
  ]);
  expectAll('together', [
    ['git fetch origin', 'git push origin main'],
    ['git add a.txt', 'git push'],
    ['git config branch.main.remote evil.git', 'git log --oneline'],
    ['npm test', 'git push'],
  ]);
});
