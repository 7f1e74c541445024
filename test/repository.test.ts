import { expect, test } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformFor, platforms, usesMusl } from '../bin/platform.js';
import { temporaryDirectory } from './support/index.ts';

const repository = join(import.meta.dirname, '..');
const manifest = JSON.parse(read('package.json')) as {
  exports: Record<string, string | { types: string; default: string }>;
  files: string[];
  bin: { cadre: string };
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const testLine = 'npm ci && npm run setup:test && npm test';

test('the README stays under 200 lines and carries the test line that CI runs', () => {
  expect(read('.ci/run')).toContain(testLine);
  if (!existsSync(join(repository, 'README.md'))) return;
  const readme = read('README.md');
  expect(readme.split('\n').length).toBeLessThan(200);
  expect(readme).toContain(testLine);
});

test('everything that the package exports is built', () => {
  const paths = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : [entry.types, entry.default],
  );
  expect(
    [...paths, manifest.bin.cadre, ...manifest.files].filter((path) => !existsSync(join(repository, path))),
  ).toEqual([]);
});

test('every dependency has a sentence in docs/dependencies.md, and none is listed that is gone', () => {
  const used = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).sort();
  const listed = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| .*\w.* \|$/gm)].map(
    (row) => row[1] ?? '',
  );
  expect(listed.sort()).toEqual(used);
});

test('no version is a range: what was tested is what is installed', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test('no file names a registry, leaves work for later or points outside the repository', () => {
  // Put together here, so that this file does not contain them itself.
  const words = [
    'registry' + '.npm',
    'registry' + '=',
    'TO' + 'DO',
    'FIX' + 'ME',
    '../' + 'shared',
    '../' + 'seeds',
    '/work' + '/main',
    '/work' + '/shared',
  ];
  const found = trackedFiles()
    .filter((path) => path !== 'package-lock.json' && !/\.(?:png|ico|gif)$/.test(path))
    .flatMap((path) => words.filter((word) => mentions(read(path), word)).map((word) => `${path}: ${word}`));
  expect(found).toEqual([]);
});

test('every machine that is supported has its own package', () => {
  expect(new Set(platforms.map((row) => row.name)).size).toBe(6);
  expect(platformFor('linux', 'x64', false)?.name).toBe('cadre-linux-x64');
  expect(platformFor('linux', 'arm64', true)?.name).toBe('cadre-linux-arm64-musl');
  expect(platformFor('darwin', 'arm64', false)?.name).toBe('cadre-darwin-arm64');
  expect(platformFor('win32', 'x64', false)).toBeUndefined();
});

test('musl is told from glibc by the loaders that are there', () => {
  const machine = (...paths: string[]) => usesMusl((path) => paths.includes(path));
  expect(machine('/lib64/ld-linux-x86-64.so.2')).toBe(false);
  expect(machine('/lib/ld-musl-x86_64.so.1')).toBe(true);
  expect(machine('/lib/ld-musl-x86_64.so.1', '/lib64/ld-linux-x86-64.so.2')).toBe(false);
  expect(machine('/etc/alpine-release', '/lib/ld-musl-aarch64.so.1', '/lib/ld-linux-aarch64.so.1')).toBe(
    true,
  );
});

test('the launcher passes arguments down and the exit code up', () => {
  const launcher = installLauncher('#!/bin/sh\necho "$1-$2"\nexit 7\n');
  const { status, stdout } = spawnSync('node', [launcher, 'one', 'two words'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 7, stdout: 'one-two words\n' });
});

test('the launcher without its platform package names the package to install', () => {
  const { status, stderr } = spawnSync('node', [installLauncher(undefined)], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain(`npm install ${localPackage()}`);
});

test('the launcher in a directory that is gone says so, and what to do', () => {
  const launcher = installLauncher('#!/bin/sh\nexit 7\n');
  const gone = temporaryDirectory().path;
  const script = `cd '${gone}' && rmdir '${gone}' && exec node '${launcher}' -p hi`;
  const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: 'cadre: the current directory no longer exists.\nGo to another one first: cd ~\n',
  });
});

test('the launcher gives help in a directory that no longer exists', () => {
  const launcher = installLauncher('#!/bin/sh\npwd\n');
  const gone = temporaryDirectory().path;
  const script = `cd '${gone}' && rmdir '${gone}' && exec node '${launcher}' --help`;
  const { status, stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '/\n' });
});

test('the launcher in a directory whose path is too long says so', () => {
  const launcher = installLauncher('#!/bin/sh\nexit 7\n');
  const name = 'a'.repeat(200);
  const script = `cd '${temporaryDirectory().path}' && i=0; while [ $i -lt 25 ]; do mkdir ${name} && cd ${name} || exit 9; i=$((i+1)); done; exec node '${launcher}' -p hi`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining('cadre: the current directory has too long a path'),
  });
});

test('the launcher ends by the signal that ended the program', () => {
  const launcher = installLauncher('#!/bin/sh\nkill -TERM $$\n');
  expect(spawnSync('node', [launcher]).signal).toBe('SIGTERM');
});

/** The launcher as npm would lay it out, with a stand-in for the program. */
function installLauncher(program: string | undefined): string {
  const modules = join(temporaryDirectory().path, 'node_modules');
  const bin = join(modules, 'cadre', 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['cadre.js', 'platform.js']) writeFileSync(join(bin, name), read(`bin/${name}`));
  writeFileSync(join(modules, 'cadre', 'package.json'), '{ "type": "module" }');
  if (program !== undefined) {
    const place = join(modules, localPackage(), 'bin');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'cadre'), program);
    chmodSync(join(place, 'cadre'), 0o755);
  }
  return join(bin, 'cadre.js');
}

function localPackage(): string {
  return platformFor(process.platform, process.arch, usesMusl())?.name ?? '';
}

/** A whole word for letters; a plain search for the rest. */
function mentions(text: string, word: string): boolean {
  return /^[A-Z]+$/.test(word) ? new RegExp(`\\b${word}\\b`).test(text) : text.includes(word);
}

function trackedFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  });
  return list.split('\0').filter((path) => path !== '' && existsSync(join(repository, path)));
}

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}
