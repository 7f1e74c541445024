import { describe, expect } from 'bun:test';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { asUser } from './as-user.ts';
import { linked } from './linked-inside.ts';

const test = needs('bwrap');

type Linked = typeof linked;

for (const who of ['root', 'an ordinary user'])
  describe(`behind links, for ${who}`, () => {
    const call = async <N extends keyof Linked>(name: N) =>
      (who === 'root'
        ? await linked[name](temporaryDirectory().path)
        : await asUser('linked-inside.ts', name)) as Awaited<ReturnType<Linked[N]>>;

    test('what links in protected directories lead to is read-only, and what is beside it is not', async () => {
      expect(await call('writeBehindLinks')).toEqual(['scripts/ordinary.sh', 'editor/ordinary']);
    });

    test('so is what hooks lead to that a configuration names, by links and by other names', async () => {
      expect(await call('writeBehindHooksPath')).toEqual(['scripts/free.sh']);
    });

    test('so is another name of a hook in a directory that is a link', async () => {
      expect(await call('writeHardLinkedHook')).toEqual(['free/b']);
    });

    test("so are the files that the user's own configuration is linked to", async () => {
      expect(await call('writeLinkedConfiguration')).toEqual(['ordinary']);
    });

    test('so it is where there are more than can be mounted, and a missing target is taken away', async () => {
      expect(await call('writeBehindMany')).toEqual({ open: ['other/free'], isTaken: true });
    });

    test('links on the way are put back, and a missing target that a command makes is taken away', async () => {
      const { nested, middle, missing, around, hook, other } = await call('replaceLinks');
      expect([nested.target, hook]).toEqual(['../store/lib.git', 'old']);
      expect(nested.notes.join()).toContain('lib/.git');
      expect(middle.target).toBe('real');
      expect(missing.target).toBe('missing');
      expect(missing.taken).toContain('later/hook');
      expect([around.target, other]).toEqual(['no link', 'evil']);
    });

    test('where secrets lead is hidden', async () => {
      expect(await call('readLinkedSecrets')).toEqual(['seen\n', 'seen\n']);
    });

    test('a rule about one name of a file holds for the others', async () => {
      expect(await call('readDeniedByOtherName')).toEqual(['seen seen ', 'seen seen ']);
    });
  });
