import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../src/protocol/index.ts';
import { call, expecting, say, type Turn } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

/** What was asked while the model made these calls. */
async function questionsOf(turns: Turn[], files: Record<string, string>): Promise<Question[]> {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.cwd, name), text);
  const asked: Question[] = [];
  const { session, prompt } = await open(at, turns, {
    onQuestion: async (question) => {
      asked.push(question);
      return { behaviour: 'deny', message: 'No.' };
    },
  });
  expect((await prompt('Go')).kind).toBe('completed');
  await session.close();
  return asked;
}

const edit = (old_string: string, file_path = 'a.txt') =>
  call('Edit', { file_path, old_string, new_string: 'new' });

test('an edit that must fail is not asked about: the model is told why', async () => {
  const asked = await questionsOf(
    [
      edit('one'),
      expecting({ toolResult: 'has not been read yet' }, edit('one', 'missing.txt')),
      expecting({ toolResult: 'missing.txt' }, call('Write', { file_path: 'a.txt', content: 'x' })),
      expecting({ toolResult: 'has not been read yet' }, call('Read', { file_path: 'a.txt' })),
      edit('nowhere in it'),
      expecting({ toolResult: 'is unchanged' }, edit('one')),
      expecting({ toolResult: 'Permission denied' }, say('Done.')),
    ],
    { 'a.txt': 'one\n' },
  );
  expect(asked.map(({ input }) => input.old_string)).toEqual(['one']);
});

test('what an agent may not read tells nothing of its content before it is asked about', async () => {
  const unread = (next: Turn) =>
    expecting({ toolResult: 'has not been read yet. Read it first' }, next as never);
  const asked = await questionsOf(
    [
      edit('SECRET', '.env'),
      unread(call('Write', { file_path: '.env', content: 'x' })),
      unread(call('NotebookEdit', { notebook_path: '/etc/a.ipynb', new_source: 'x' })),
      unread(edit('root', '/etc/hosts')),
      unread(edit('root', '/etc/no-such-file')),
      unread(call('Write', { file_path: '.npmrc', content: 'x' })),
      call('Write', { file_path: '/etc/hosts', content: 'x' }),
      say('Done.'),
    ],
    { '.env': 'SECRET=1\n' },
  );
  // Whether a file is there is told only where the agent may look for it.
  expect(asked.map(({ input }) => input.file_path)).toEqual(['.npmrc', '/etc/hosts']);
});

test('a file that a rule closes to readers is asked about as one that may be there or not', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'key.txt'), 'x');
  const asked: unknown[] = [];
  const { session, prompt } = await open(
    at,
    [call('Write', { file_path: 'key.txt', content: 'x' }), say('Done.')],
    {
      disallowedTools: ['Read(key.txt)'],
      onQuestion: async ({ input }) => {
        asked.push(input.file_path);
        return { behaviour: 'deny', message: 'No.' };
      },
    },
  );
  await prompt('Go');
  await session.close();
  expect(asked).toEqual(['key.txt']);
});
