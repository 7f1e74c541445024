import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { asked, newPlace, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('a call and a question name a file as seen from here', () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'notes.md'), 'some notes\n');
  const path = join(place.cwd, 'notes.md');
  return withScreen(
    [call('Read', { file_path: path }), call('Edit', editOf(path)), say('Done.')],
    async (screen) => {
      await seen(screen, '● Read notes.md');
      const question = await asked(screen, 'asks: Edit notes.md?');
      expect(question).toMatch(/^file: notes\.md$/m);
      expect(question).toMatch(/^Asked because no rule allows writing \.\/notes\.md$/m);
      expect(question).toContain(`always, for this agent: Edit(/${place.cwd}/**)`);
    },
    { place, flags: ['go'], columns: 160, rows: 50 },
  );
});

tmuxTest('a question names a file of another directory in full, also in your home', () => {
  const place = newPlace();
  const path = join(place.userHome, 'notes.md');
  return withScreen(
    [call('Write', { file_path: path, content: 'some notes\n' }), say('Done.')],
    async (screen) => {
      const question = await asked(screen, 'asks: Create ~/notes.md?');
      expect(question).toContain(`new file: ${path}\n`);
      expect(question).toContain(`no rule allows writing ${path}`);
    },
    { place, flags: ['go'], columns: 160, rows: 50 },
  );
});

function editOf(path: string) {
  return { file_path: path, old_string: 'some notes', new_string: 'other notes' };
}

tmuxTest('a command is shown as it runs', () => {
  const place = newPlace();
  const command = `ls ${place.cwd}`;
  return withScreen(
    [call('Bash', { command }), say('Done.')],
    async (screen) => {
      await seen(screen, 'Done.');
      expect(screen.visible()).toContain(`Bash ${command}`);
    },
    { place, flags: ['go'], columns: 160, rows: 50 },
  );
});
