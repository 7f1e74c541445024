import { expect } from 'bun:test';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { gate, openStory, quiet, type Script } from '../agents/support.ts';
import { smallDisk, until } from '../support/index.ts';
import { place } from './support.ts';
import { create, heard, kinds, leadThat, start } from './team-support.ts';

const disk = smallDisk(1_024);

/** A member whose files are on the small disk. */
function placeOnDisk(name: string) {
  const at = place();
  const home = join(disk.path, name);
  mkdirSync(at.cwd, { recursive: true });
  return { ...at, home, environment: { ...at.environment, CADRE_HOME: home } };
}

for (const leave of [0, 4_096, 8_192])
  disk.test(
    `TM9 a teammate that met a full disk (${leave} bytes left) continues when its session is resumed`,
    async () => {
      const at = placeOnDisk(`home-${leave}`);
      const step = gate();
      const script: Script = {
        lead: leadThat({ Go: [create, start('alice', 'Work')] }),
        agents: {
          Work: [() => step.opened.then(() => call('Bash', { command: 'seq 3000' })), say('Done after all.')],
        },
      };
      const story = await openStory(script, { permissionMode: 'bypassPermissions' }, at);
      await story.prompt('Go');
      await until(() => story.requestsOf('Work').length === 1);
      await disk.whileFull(leave, async () => {
        step.open();
        await quiet(story);
        await story.session.close();
      });
      expect(readFileSync(join(at.home, 'teams/crew/members/alice.json'), 'utf8')).toContain('"running"');
      const again = await openStory(
        { lead: () => say('Noted.'), agents: { Work: [say('Done after all.'), say('And this.')] } },
        { resume: { from: 'id', id: story.session.id } },
        at,
      );
      await until(() => kinds(again).includes('alice report team-lead'));
      await quiet(again);
      expect(heard(again.leadRequests())).toContain('Done after all.');
      await again.session.close();
    },
  );
