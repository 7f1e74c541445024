import { expect, test } from 'bun:test';
import { summarizeTools } from '../../src/agents/progress.ts';
import { call, say } from '../../src/testing/index.ts';
import { openStory } from './support.ts';

test('what an agent did is counted by tool and by kind, with the lines that its edits added and removed', async () => {
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'Write', prompt: 'Write it.' }), say('Done.')],
      agents: {
        'Write it.': [
          call('Write', { file_path: 'a.txt', content: 'one\ntwo\n' }),
          call('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three\nfour' }),
          call('Bash', { command: 'true' }),
          call('TodoWrite', { todos: [] }),
          say('Written.'),
        ],
      },
    },
    { permissionMode: 'bypassPermissions', allowBypass: true },
  );
  await story.prompt('Go');
  expect(story.toolData()[0]).toMatchObject({
    toolsUsed: ['Write', 'Edit', 'Bash', 'TodoWrite'],
    toolStats: {
      editFileCount: 2,
      bashCount: 1,
      otherToolCount: 1,
      readCount: 0,
      linesAdded: 4,
      linesRemoved: 1,
    },
    usage: { input_tokens: expect.any(Number), cache_creation: null },
  });
  await story.session.close();
});

test('tools that we have no kind for are counted as others', () => {
  const stats = summarizeTools({ byName: { Read: 2, mcp__x__y: 3 }, linesAdded: 0, linesRemoved: 0 });
  expect(stats).toMatchObject({ readCount: 2, otherToolCount: 3 });
});
