import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

test('asking for the context during a run leaves what the run does stoppable', async () => {
  const at = place();
  const skill = join(at.cwd, '.claude', 'skills', 'slow');
  mkdirSync(skill, { recursive: true });
  writeFileSync(
    join(skill, 'SKILL.md'),
    '---\ndescription: waits\nallowed-tools: Bash(touch:*), Bash(sleep:*)\n---\n!`touch began && sleep 600`',
  );
  const opened = await open(at, [call('Skill', { skill: 'slow' }), say('Never said.')], {
    trust: true,
    permissionMode: 'bypassPermissions',
  });
  void (async () => {
    for await (const { type } of opened.session.events())
      if (type === 'run_started') opened.session.context();
  })();
  const ended = opened.prompt('Use the skill');
  while (!existsSync(join(at.cwd, 'began'))) await Bun.sleep(5);
  opened.session.send({ type: 'interrupt' });
  expect((await ended).kind).toBe('interrupted');
  await opened.session.close();
});
