import { expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteDeclined, wasDeclined } from '../../src/settings/trust/declined.ts';
import { Repository } from './trust-support.ts';

const settings = (rule: string) => ({ permissions: { allow: [rule] } });

async function declined(): Promise<Repository> {
  const repository = new Repository();
  repository.put('.cadre/settings.json', settings('Bash(a)'));
  const noted = await noteDeclined(await repository.describe(), repository.home, repository.clock);
  expect(noted.ok).toBe(true);
  return repository;
}

test('a no is remembered for what was asked about', async () => {
  const repository = await declined();
  expect(wasDeclined(await repository.describe(), repository.home)).toBe(true);
});

test('what has changed since, or came to it, is another question', async () => {
  const repository = await declined();
  repository.put('.cadre/settings.json', settings('Bash(b)'));
  expect(wasDeclined(await repository.describe(), repository.home)).toBe(false);
  repository.put('.cadre/settings.json', settings('Bash(a)'));
  repository.put('.mcp.json', { mcpServers: { a: { command: 'x' } } });
  expect(wasDeclined(await repository.describe(), repository.home)).toBe(false);
});

test('it counts for this directory only', async () => {
  const repository = await declined();
  const { root: _, ...description } = await repository.describe();
  expect(wasDeclined({ ...description, root: '/elsewhere' }, repository.home)).toBe(false);
});

test('only hashes are kept, for the user alone', async () => {
  const { home } = await declined();
  expect(readFileSync(join(home, 'declined.json'), 'utf8')).not.toContain('Bash');
  expect(statSync(join(home, 'declined.json')).mode & 0o777).toBe(0o600);
});

test('a damaged file makes the question come once more', async () => {
  const repository = await declined();
  writeFileSync(join(repository.home, 'declined.json'), '{"format":1,"repositories":[');
  expect(wasDeclined(await repository.describe(), repository.home)).toBe(false);
});
