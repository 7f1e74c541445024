import { expect, test } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../support/index.ts';

const script = join(import.meta.dirname, 'planted-files.script.ts');

/** In a process of its own, which a read that waits would hold for ever. */
function read(home: string, file: string): string {
  const end = spawnSync(process.execPath, [script, home, file], { encoding: 'utf8', timeout: 20_000 });
  return end.error ? 'no answer' : `${end.stdout}${end.stderr}`.trim();
}

const plants: Readonly<Record<string, (path: string) => void>> = {
  'a named pipe': (path) => void execFileSync('mkfifo', ['-m', '600', path]),
  'larger than any such file': (path) => {
    writeFileSync(path, '');
    chmodSync(path, 0o600);
    truncateSync(path, 4 * 1024 ** 3);
  },
};

/** A file, and what its reader says where it is not a file that it can read. */
const places: readonly (readonly [file: string, answer: RegExp])[] = [
  ['keys.json', /"message":"Cannot read [^"]*keys\.json: it is not a regular file of at most/],
  ['providers/providers.json', /"message":"Cannot read [^"]*providers\.json: it is not a regular file of/],
  ['package.json', /"message":"[^"]* is not a package/],
  ['trust.json', /^"damaged"$/],
  ['mcp-auth.json', /^"nothing"$/],
  ['mcp-pins.json', /it is not a regular file of at most/],
  ['index.lock', /^false$/],
  ['journal.json', /^"nothing"$/],
];

for (const [kind, plant] of Object.entries(plants))
  for (const [file, answer] of places)
    test(`the reader of ${file} neither waits nor reads it where it is ${kind}`, () => {
      const { path } = temporaryDirectory();
      mkdirSync(dirname(join(path, file)), { recursive: true, mode: 0o700 });
      plant(join(path, file));
      expect(read(path, file)).toMatch(answer);
    });
