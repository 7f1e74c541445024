import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bashTool } from '../../src/tools/bash/bash.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { call, toolContextForTests } from './support.ts';

/** The Bash tool for a line that may run in the root of its context only. */
function keptTool(shell: string) {
  const base = toolContextForTests();
  const outside = temporaryDirectory().path;
  const kept = { ...base.shell, shell, within: [base.root] };
  const context = { ...base, directory: base.directory, shell: kept };
  const at = (name: string) => join(base.root, name);
  mkdirSync(at('sub'));
  symlinkSync(outside, at('link'));
  return { outside, at, context, run: (command: string) => call(bashTool, { command }, context) };
}

for (const shell of ['bash', 'dash'])
  describe(`a line that must stay in the workspace, in ${shell}`, () => {
    const check = needs(shell);

    check('runs where it starts, and in directories of the workspace', async () => {
      const { run, at, context } = keptTool(`/bin/${shell}`);
      expect((await run('pwd; cd sub && pwd -P; (cd .. && pwd); cd - >/dev/null; pwd')).text).toBe(
        [context.root, at('sub'), context.root, context.root].join('\n'),
      );
    });

    check('does nothing in a directory that leads out', async () => {
      const { run, outside } = keptTool(`/bin/${shell}`);
      for (const line of [
        'cd link && touch made',
        'cd link; touch made',
        '(cd link; touch made)',
        'cd -P link; touch made',
        '! cd link; touch made',
        'cd link | touch made; cd "$(cd link; touch made; pwd)"; touch made',
        `cd ${outside}; touch made`,
        'for d in sub ../link; do cd "$d"; touch made; done',
      ])
        await run(line);
      expect(existsSync(join(outside, 'made'))).toBe(false);
      const { text, isError } = await run('cd link && touch made');
      expect([isError, text]).toEqual([true, expect.stringContaining('outside the workspace')]);
    });

    check('does nothing where its own directory was replaced', async () => {
      const { run, outside, context, at } = keptTool(`/bin/${shell}`);
      context.directory.move(at('link'));
      const { text } = await run('touch made');
      expect(text).toContain('outside the workspace');
      expect(existsSync(join(outside, 'made'))).toBe(false);
    });

    check('a command that cannot enter fails as it always does', async () => {
      const { run } = keptTool(`/bin/${shell}`);
      expect((await run('cd nowhere || echo failed')).text).toContain('failed');
    });
  });

const swapper = `
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
open('up', 'w').close()
while not os.path.exists('stop'):
    for _ in range(50): libc.renameat2(-100, b'sub', -100, b'link', 2)
    time.sleep(0.0002)
`;

needs('python3')(
  'a directory that is swapped for a link all the time is entered, or nothing runs',
  async () => {
    const { run, outside, at, context } = keptTool('/bin/bash');
    writeFileSync(at('swap.py'), swapper);
    const swapping = Bun.spawn(['python3', 'swap.py'], { cwd: context.root });
    while (!existsSync(at('up'))) await Bun.sleep(5);
    let entered = 0;
    for (let round = 0; round < 60; round++) {
      context.directory.move(context.root);
      entered += (await run('cd sub && touch made && echo ran')).text.includes('ran') ? 1 : 0;
    }
    writeFileSync(at('stop'), '');
    await swapping.exited;
    expect(existsSync(join(outside, 'made'))).toBe(false);
    expect(entered).toBeGreaterThan(0);
  },
);

test('a workspace whose name means something to a shell is found', async () => {
  const base = toolContextForTests();
  const odd = join(base.root, "a'b [c]* $(x)\n");
  mkdirSync(odd);
  mkdirSync(join(base.root, "a'b [c]* $(x)"));
  const context = { ...base, directory: base.directory, shell: { ...base.shell, within: [odd] } };
  context.directory.move(odd);
  expect((await call(bashTool, { command: 'echo ran' }, context)).text).toBe('ran');
  context.directory.move(join(base.root, "a'b [c]* $(x)"));
  expect((await call(bashTool, { command: 'echo ran' }, context)).text).toContain('outside the workspace');
});
