import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { type Room, room, run } from './support.ts';

const test = needs('bwrap');

/** Starts a command, and resolves when it runs. `then` is what it does when it is told to go on. */
async function paused(at: Room, then: string): Promise<{ goOn(): ReturnType<typeof run> }> {
  const ran = run(at, `touch up; until [ -e go ]; do sleep 0.02; done; ${then}`);
  while (!existsSync(join(at.cwd, 'up'))) await Bun.sleep(5);
  return {
    goOn() {
      writeFileSync(join(at.cwd, 'go'), '');
      return ran;
    },
  };
}

test('settings are taken away also when another process removed what stood in for them', async () => {
  const at = room();
  const long = await paused(at, 'mkdir -p .cadre; echo x > .cadre/settings.json');
  rmSync(join(at.cwd, '.cadre'), { recursive: true });
  expect((await long.goOn()).notes[0]).toContain('were moved to');
  expect(existsSync(join(at.cwd, '.cadre'))).toBe(false);
});

test('what somebody replaced meanwhile is pointed out: nothing protected it from then on', async () => {
  const at = room();
  execFileSync('git', ['init', '-q'], { cwd: at.cwd });
  const long = await paused(at, 'true');
  execFileSync('git', ['config', 'user.name', 'x'], { cwd: at.cwd });
  const { notes } = await long.goOn();
  expect(notes).toEqual([expect.stringContaining(`check them before use: ${at.cwd}/.git/config`)]);
  expect(at.notices).toHaveLength(1);
});

/** Puts a directory and a link in each other's place, again and again. */
const swapper = `
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
open('up', 'w').close()
end = time.time() + 30
while time.time() < end and not os.path.exists('go'):
    for _ in range(200): libc.renameat2(-100, b'sub', -100, b'link', 2)
`;

needs('python3')(
  'a directory that another command swaps for a link is not mounted in its place',
  async () => {
    const at = room();
    const victim = join(at.userHome, 'victim');
    for (const path of [join(at.cwd, 'sub'), victim]) mkdirSync(path);
    writeFileSync(join(at.cwd, 'swap.py'), swapper);
    const racing = run(at, `ln -s ../user/victim link; python3 swap.py`);
    while (!existsSync(join(at.cwd, 'up'))) await Bun.sleep(5);
    for (let round = 0; round < 60; round++)
      await run(at, 'echo evil > evil; echo evil > ../user/victim/evil; echo evil > sub/evil', {
        in: join(at.cwd, 'sub'),
      }).catch(() => undefined);
    writeFileSync(join(at.cwd, 'go'), '');
    await racing;
    expect(readdirSync(victim)).toEqual([]);
  },
  60_000,
);

test('what a command left as the place of the agent is read no further than a path is long', async () => {
  const at = room();
  const scratch = join(at.home, 'cwd');
  await run(at, `truncate -s 20G ${scratch}`, { scratch });
  const { leaveDirectory } = await import('../../../src/tools/bash/directory.ts');
  const directory = { root: at.cwd, current: at.cwd, move: () => {} };
  expect(leaveDirectory({ file: scratch, notes: [] }, { directory } as never)).toEqual([]);
  expect(existsSync(scratch)).toBe(false);
});
