import { describe, expect, test } from 'bun:test';
import { mustHave } from '../store/build.ts';
import { needs } from '../support/index.ts';
import { repository, runCommands } from './undo-ground.ts';

/** Ignored files at the top and below it, and what the first command of a session does to them. */
const lines: Record<string, RegExp> = {
  'rm .env': /^Missing now, but not covered: \S+\/\.env\.$/,
  'rm src/own.log': /^Missing now, but not covered: \S+\/src\/own\.log\.$/,
  'git clean -qfdX': /^Missing now, but not covered: .*\/\.env/,
  'echo x > made.log': /^Changed since then, but not covered: \S+\/made\.log\.$/,
  'echo x >> .env': /^Changed since then, but not covered: \S+\/\.env\.$/,
};

for (const [where, options, tested] of [
  ['without a sandbox', {}, test],
  ['in the sandbox', { sandbox: true }, needs('bwrap')],
] as const)
  describe(where, () => {
    for (const [line, named] of Object.entries(lines))
      tested(`what the first command does to ignored files is named: ${line}`, async () => {
        const ground = repository();
        ground.write('.git/info/exclude', '.env\n');
        ground.write('.env', 'mine');
        ground.write('src/own.log', 'mine');
        const { session, rewind } = await runCommands(ground, [line], options);
        const [point] = mustHave(await session.checkpoints());
        expect(point?.isAtLeast).toBe(true);
        const { beyond, isIncomplete } = await rewind(line);
        expect(beyond).toContainEqual(expect.stringMatching(named));
        expect(isIncomplete).toBe(named.source.startsWith('^Missing'));
        await session.close();
      });

    tested('what a command makes together with rules that ignore it is undone', async () => {
      const ground = repository();
      const before = ground.tree();
      const line =
        'mkdir -p plugins/evil; echo "*" > plugins/evil/.gitignore; echo evil > plugins/evil/index.js';
      const { session, rewind } = await runCommands(ground, [line], options);
      expect(ground.tree()).not.toEqual(before);
      expect(await rewind(line)).toMatchObject({ refused: [], isIncomplete: false });
      expect(ground.tree()).toEqual(before);
      await session.close();
    });
  });
