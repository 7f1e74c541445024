import { expect, test } from 'bun:test';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { takeCopy } from '../../../src/sandbox/guard/kept.ts';
import { quarantine } from '../../../src/sandbox/guard/quarantine.ts';
import { temporaryDirectory } from '../../support/index.ts';

test('a kept file whose directory became a link is there in the folder of what was taken', () => {
  const { path } = temporaryDirectory();
  const [home, inside] = [join(path, 'home'), join(path, 'work', 'packages')];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(inside, { recursive: true });
  mkdirSync(join(path, 'elsewhere'));
  writeFileSync(join(inside, '.npmrc'), 'mine\n');
  const copy = takeCopy(join(inside, '.npmrc'), 1000);
  renameSync(inside, `${inside}-moved`);
  symlinkSync('../elsewhere', inside);
  rmSync(`${inside}-moved`, { recursive: true });
  const said = quarantine({ fresh: [], onlyLinks: new Set(), links: [], copies: [copy] }, home);
  const [folder = ''] = readdirSync(join(home, 'taken'));
  const kept = join(home, 'taken', folder, '1-.npmrc');
  expect(said.join('\n')).toContain(`Their content from before is in ${join(home, 'taken', folder)}`);
  expect(readFileSync(kept, 'utf8')).toBe('mine\n');
  expect(readFileSync(join(home, 'taken', folder, 'where.json'), 'utf8')).toContain(copy.path);
  expect(readdirSync(join(path, 'elsewhere'))).toEqual([]);
});
