import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { aTick, temporaryDirectory } from '../support/index.ts';
import { open, place } from './support.ts';

/** Writes through a shared mapping that was read first: in memory no time of the file changes. */
const script = `
import mmap, os
for name in ['notes.txt', 'edited.txt']:
    m = mmap.mmap(os.open(name, os.O_RDWR), 0)
    m[0]
    m[0:4] = b'evil'
`;

test('what a command wrote through a mapping goes back, in files that the agent had edited and in others', async () => {
  const cwd = temporaryDirectory('/dev/shm').path;
  const at = { ...place(), cwd };
  mkdirSync(at.environment.HOME ?? '', { recursive: true });
  const files = { 'map.py': script, 'notes.txt': 'words of mine', 'edited.txt': 'first words' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  await aTick();
  const { session, prompt } = await open(
    at,
    [
      call('Read', { file_path: 'edited.txt' }),
      call('Write', { file_path: 'edited.txt', content: 'words of the agent' }),
      say('Edited.'),
      call('Bash', { command: 'python3 map.py' }),
      say('Done.'),
    ],
    { permissionMode: 'acceptEdits', allowedTools: ['Bash'] },
  );
  await prompt('edit');
  await aTick();
  await prompt('map');
  expect([read('notes.txt'), read('edited.txt')]).toEqual(['evils of mine', 'evils of the agent']);
  const points = await session.checkpoints();
  const to = points.ok ? points.value.find(({ text }) => text === 'map') : undefined;
  expect(to).toMatchObject({ filesChanged: 2 });
  const report = await session.rewind({ to: to?.uuid ?? '', what: 'both' });
  expect(report).toMatchObject({ ok: true, value: { refused: [], isIncomplete: false } });
  expect([read('notes.txt'), read('edited.txt')]).toEqual(['words of mine', 'words of the agent']);
  await session.close();
});
