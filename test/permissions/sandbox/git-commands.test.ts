import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { type Room, room, run } from './support.ts';

const test = needs('bwrap');

/** A repository whose configuration runs `tools/go.sh`. */
function openRepository(setting: string, value: string): Room {
  const at = room();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: at.cwd });
  git('init', '-q', '-b', 'main');
  git('config', setting, value);
  mkdirSync(join(at.cwd, 'src'));
  writeFileSync(join(at.cwd, 'src/main.ts'), 'old');
  return at;
}

for (const [setting, value] of [
  ['filter.z.clean', 'cd tools && ./go.sh'],
  ['alias.a', '!PATH=$PWD/tools:$PATH go.sh'],
  ['alias.a', '!./tools/g*.sh'],
  ['remote.o.url', 'ext::tools/go.sh %S'],
] as const) {
  test(`a command cannot change the script of ${setting} = ${value}`, async () => {
    const at = openRepository(setting, value);
    const script = join(at.cwd, 'tools/go.sh');
    mkdirSync(join(at.cwd, 'tools'));
    writeFileSync(script, 'old');
    chmodSync(script, 0o755);
    await run(at, 'echo new > tools/go.sh; rm -f tools/go.sh; mv tools elsewhere; echo new > src/main.ts');
    expect(readFileSync(script, 'utf8')).toBe('old');
    expect(readFileSync(join(at.cwd, 'src/main.ts'), 'utf8')).toBe('new\n');
  });

  for (const hasDirectory of [true, false])
    test(`a script that it makes is taken away: ${setting} = ${value}, ${hasDirectory ? 'with' : 'without'} the directory`, async () => {
      const at = openRepository(setting, value);
      if (hasDirectory) mkdirSync(join(at.cwd, 'tools'));
      await run(at, 'mkdir -p tools; echo new > tools/go.sh; chmod +x tools/go.sh');
      expect(existsSync(join(at.cwd, 'tools/go.sh'))).toBe(false);
    });
}

test('a directory that an alias goes to can be written but for what the alias runs there', async () => {
  const at = openRepository('alias.a', '!cd src && npm test');
  await run(at, 'echo new > src/main.ts; mkdir src/test; echo new > src/test/a.ts');
  expect(readFileSync(join(at.cwd, 'src/main.ts'), 'utf8')).toBe('new\n');
  expect(existsSync(join(at.cwd, 'src/test/a.ts'))).toBe(true);
});
