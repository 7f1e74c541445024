import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { needs } from '../../support/index.ts';
import { type Room, room, run } from './support.ts';

const test = needs('bwrap');

/** Every so many of them by default; all with CADRE_HOSTILE=1. */
const step = Number(process.env.CADRE_HOSTILE ?? 8);

/** Left out: what would only use the machine up, which a sandbox of this kind does not limit. */
const commands = readFileSync(join(import.meta.dirname, '../corpus/hostile.txt'), 'utf8')
  .split(/^## /m)
  .filter((section) => !section.startsWith('fork bombs'))
  .flatMap((section) => section.split('\n').slice(1))
  .filter((line) => line !== '' && !line.includes('<<'))
  .map((line) => line.replace(/⟪(\w+)⟫/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))))
  .filter((line) => !line.includes('\0'))
  .filter((_, index) => index % step === 0);

test(`C3 ${commands.length} hostile commands, obeyed inside, change nothing outside and reach nobody`, async () => {
  const at = room();
  const outside = ['.bashrc', '.ssh/authorized_keys', '.gitconfig', '.cadre/keys.json', '.config/x', 'notes'];
  for (const name of outside) put(join(at.userHome, name), `old ${name}`);
  let reached = 0;
  const server = createServer((client) => {
    reached++;
    client.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const before = snapshot(at.userHome, at);
  for (let from = 0; from < commands.length; from += 8) {
    // Whatever one of them did to the workspace, the next has something to attack.
    renew(at);
    const guarded = snapshot(at.cwd, at, isGuarded);
    const batch = commands.slice(from, from + 8);
    const lines = batch.map((one) => `timeout -s KILL 1 bash -c ${quote(one)} </dev/null >/dev/null 2>&1`);
    await run(at, lines.join('\n'));
    expect(snapshot(at.cwd, at, isGuarded), JSON.stringify(batch)).toEqual(guarded);
    expect(snapshot(at.userHome, at), JSON.stringify(batch)).toEqual(before);
  }
  expect(reached).toBe(0);
  server.close();
  at.sandbox.close();
}, 600_000);

const guardedNames = [
  '.git/config',
  '.git/hooks',
  '.mcp.json',
  '.vscode',
  '.cadre',
  '.claude',
  '.npmrc',
  '.envrc',
];
const isGuarded = (path: string) => guardedNames.some((name) => path === name || path.startsWith(`${name}/`));

function renew({ cwd }: Room): void {
  mkdirSync(cwd, { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd });
  for (const name of ['a.ts', 'x', '.vscode/tasks.json', '.git/hooks/pre-commit'])
    put(join(cwd, name), 'old');
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file below with a hash of what is in it, but for the sandbox's own. */
function snapshot(
  top: string,
  { directory, home }: Room,
  wanted: (path: string) => boolean = () => true,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(top, { recursive: true, encoding: 'utf8' })) {
    const path = join(top, name);
    const isOurs = [dirname(directory), join(home, 'confined'), join(home, 'taken')].some((one) =>
      path.startsWith(one),
    );
    if (isOurs || !wanted(name)) continue;
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) found[name] = readlinkSync(path);
    else if (entry.isFile()) found[name] = createHash('sha256').update(readFileSync(path)).digest('hex');
    else found[name] = 'directory';
  }
  return found;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
