import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

function work() {
  const at = place();
  mkdirSync(join(at.cwd, 'secrets'), { recursive: true });
  mkdirSync(join(at.cwd, '.git', 'hooks'), { recursive: true });
  writeFileSync(join(at.cwd, 'secrets', 'key'), 'hush\n');
  return at;
}

test('PE7 G9 a path is judged from the directory in which it is used, also behind a cd in the same message', async () => {
  const at = work();
  const { session, prompt, events } = await open(
    at,
    [
      calls([
        call('Bash', { command: 'cd .git/hooks' }),
        call('Write', { file_path: 'pre-commit', content: 'evil' }),
        call('Bash', { command: 'cd ../../secrets' }),
        call('Read', { file_path: 'key' }),
        call('Write', { file_path: 'new', content: 'evil' }),
        call('Bash', { command: 'cd ../..' }),
        call('Write', { file_path: 'outside', content: 'evil' }),
      ]),
      say('Done.'),
    ],
    {
      permissionMode: 'acceptEdits',
      allowedTools: ['Bash(cd .git/hooks)', 'Bash(cd ../../secrets)', 'Bash(cd ../..)'],
      disallowedTools: ['Read(secrets/**)', 'Edit(secrets/**)'],
    },
  );
  await prompt('Go');
  await session.close();
  expect(existsSync(join(at.cwd, '.git/hooks/pre-commit'))).toBe(false);
  expect(existsSync(join(at.cwd, 'secrets/new'))).toBe(false);
  expect(existsSync(join(at.cwd, '../outside'))).toBe(false);
  expect(JSON.stringify(events)).not.toContain('hush');
  expect(events.filter((event) => event.type === 'permission_denied')).toHaveLength(4);
});

test('an answer is for the file that was shown: a link swapped in meanwhile is noticed', async () => {
  const at = work();
  mkdirSync(join(at.cwd, 'src'));
  mkdirSync(join(at.cwd, '../elsewhere'));
  const { session, prompt, events } = await open(
    at,
    [call('Write', { file_path: join(at.cwd, 'src/a.txt'), content: 'evil' }), say('Done.')],
    {
      onQuestion: async () => {
        rmSync(join(at.cwd, 'src'), { recursive: true });
        symlinkSync('../elsewhere', join(at.cwd, 'src'));
        return { behaviour: 'allow' };
      },
    },
  );
  await prompt('Go');
  await session.close();
  expect(existsSync(join(at.cwd, '../elsewhere/a.txt'))).toBe(false);
  expect(events.find((event) => event.type === 'permission_denied')).toMatchObject({
    decision: { reason: expect.stringContaining('a link in the path was changed') },
  });
});

test('an allowed write lands where it was shown', async () => {
  const at = work();
  const path = join(at.cwd, 'a.txt');
  const { session, prompt } = await open(
    at,
    [call('Write', { file_path: path, content: 'good' }), say('Done.')],
    {
      onQuestion: async () => ({ behaviour: 'allow' }),
    },
  );
  await prompt('Go');
  await session.close();
  expect(readFileSync(path, 'utf8')).toBe('good');
});
