import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { ok, type Result } from '../../src/lib/result.ts';
import { Secrets } from '../../src/lib/secrets/secrets.ts';
import { maxMemoryFiles, TeamMemory, type TeamMemoryOptions } from '../../src/team/memory.ts';
import { temporaryDirectory, until } from '../support/index.ts';
import { need, refusal } from './board-support.ts';

const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'}`;

function newMemory(more: Partial<TeamMemoryOptions> = {}, path = temporaryDirectory().path) {
  const options = { directory: join(path, 'memory'), leases: join(path, 'leases'), machine: systemMachine };
  return new TeamMemory({ ...options, clock: manualClock(), ...more });
}

/** As the file tools do it: `memory-guard.ts` asks the memory first. */
function write(memory: TeamMemory, name: string, text: string): Result<void> {
  const checked = memory.check(name, text);
  if (!checked.ok) return checked;
  const held = memory.hold(name);
  if (!held.ok) return held;
  mkdirSync(memory.directory, { recursive: true });
  writeFileSync(join(memory.directory, name), text);
  return ok(held.value());
}

test('TM7 a file has one writer at a time', () => {
  const memory = newMemory();
  const release = need(memory.hold('plan.md'));
  expect(refusal(write(memory, 'plan.md', 'x'))).toContain('plan.md is being written by another member');
  need(write(memory, 'other.md', 'x'));
  release();
  need(write(memory, 'plan.md', 'x'));
  expect(readdirSync(join(memory.directory, '..', 'leases'))).toEqual([]);
});

test('TM7 secrets are refused, by their format and by their value', () => {
  const secrets = new Secrets();
  secrets.add([{ name: 'API key', value: 'correct horse battery' }]);
  const memory = newMemory({ secrets });
  expect(refusal(write(memory, 'a.md', `Use ${token}.`))).toMatch(
    /^a\.md was not written: it contains a secret \(GitHub/,
  );
  expect(refusal(write(memory, 'a.md', 'Say correct horse battery.'))).toContain('a value of this session');
  expect(existsSync(memory.directory)).toBe(false);
});

test('names that lead elsewhere, large files and too many files are refused', () => {
  const memory = newMemory();
  for (const name of ['../x', 'a/b', '.hidden', '', 'x'.repeat(101)])
    expect(refusal(write(memory, name, ''))).toContain("cannot be a file of the team's memory");
  expect(refusal(write(memory, 'a.md', 'x'.repeat(65_537)))).toContain('larger than 65536 bytes');
  for (let at = 0; at < maxMemoryFiles; at++) need(write(memory, `n${at}`, ''));
  expect(refusal(write(memory, 'one-more', ''))).toContain('200 files, which is the limit');
  need(write(memory, 'n1', 'changed'));
});

test('TM7 a watcher hears of changes by others; a secret that a command wrote is taken out and told', async () => {
  const { path } = temporaryDirectory();
  const told: string[] = [];
  const memory = newMemory({ clock: systemClock, told: (problem) => told.push(problem) }, path);
  const heard: string[] = [];
  const stop = memory.watch((names) => heard.push(...names));
  need(write(newMemory({}, path), 'a.md', 'fine'));
  await until(() => heard.includes('a.md'));
  writeFileSync(join(memory.directory, 'b.md'), `token ${token}`);
  await until(() => told.length > 0);
  stop();
  expect(existsSync(join(memory.directory, 'b.md'))).toBe(false);
  expect(told[0]).toContain('it contains a secret');
  const [kept = ''] = readdirSync(join(path, 'memory-quarantine'));
  expect(readFileSync(join(path, 'memory-quarantine', kept), 'utf8')).toContain('token');
});
