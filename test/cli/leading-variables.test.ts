import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider } from '../../src/testing/index.ts';
import { cadre, newPlace, unconfined } from './support.ts';

test("variables of the user's and version managers lead no free command into the workspace", async () => {
  const place = newPlace();
  const bin = join(place.cwd, '..', 'bin');
  const flag = join(place.cwd, '..', 'owned');
  const program = (path: string, text: string) => writeFileSync(path, text, { mode: 0o755 });
  mkdirSync(bin);
  program(join(bin, 'yq'), '#!/usr/bin/python3\nimport argparse\nprint("read it")\n');
  program(join(bin, 'chooser'), '#!/bin/sh\nexec "$PWD/chosen"\n');
  symlinkSync('chooser', join(bin, 'rg'));
  writeFileSync(join(place.cwd, 'argparse.py'), `open(${JSON.stringify(flag)}, "w")\n`);
  program(join(place.cwd, 'chosen'), `#!/bin/sh\ntouch ${flag}\n`);
  const script = ['yq . a', 'echo {} | yq .', 'rg a'].map((command) => call('Bash', { command }));
  await using provider = await fakeProvider({ script: [...script, 'Done.'] });
  const env = { PYTHONPATH: `.:${place.cwd}`, PATH: `${bin}:/usr/bin:/bin` };
  const { out } = await cadre(['-p', '--output-format', 'stream-json', '--verbose', ...unconfined, 'go'], {
    ...{ place, provider, env },
  });
  expect(out.match(/read it/g)?.length).toBeGreaterThanOrEqual(2);
  expect(out).toContain('rg is ');
  expect(existsSync(flag)).toBe(false);
});
