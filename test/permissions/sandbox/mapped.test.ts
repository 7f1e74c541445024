import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { begin, put, type Room, roomIn, run } from './support.ts';

const test = needs('bwrap');

const workflow = (index: number) => `p${index}/.github/workflows/ci.yml`;
const names = Array.from({ length: 40 }, (_, index) => workflow(index));

/** More protected files than are mounted read-only: of the rest copies are kept. */
function workspaceIn(parent?: string): Room {
  const at = roomIn(temporaryDirectory(parent).path);
  put(at, Object.fromEntries(names.map((name) => [name, 'name: good\n'])));
  put(at, { 'map.py': mapping });
  // A page that waits to be written gets a new time whenever it was written out.
  for (const name of names) execFileSync('sync', [join(at.cwd, name)]);
  return at;
}

/** Writes through shared mappings of all files that it may open, the second time when `go` exists. */
const mapping = `
import mmap, os, sys, time
maps = []
for name in sys.argv[2:]:
    try: fd = os.open(name, os.O_RDWR)
    except OSError: continue
    maps.append(mmap.mmap(fd, 0))
    if sys.argv[1] == 'later': maps[-1][0] = maps[-1][0]
    else: maps[-1][0]
print(len(maps), flush=True)
if sys.argv[1] == 'later':
    open('ready', 'w').close()
    while not os.path.exists('go'): time.sleep(0.01)
for one in maps: one[0:4] = b'evil'
open('done', 'w').close()
if sys.argv[1] == 'later': time.sleep(1000)
`;

function changed(at: Room): string[] {
  return names.filter((name) => readFileSync(join(at.cwd, name), 'utf8') !== 'name: good\n');
}

for (const parent of [undefined, '/dev/shm'])
  test(`in ${parent ?? 'a temporary directory'} what is written through a mapping of a kept file is put back, and told`, async () => {
    const at = workspaceIn(parent);
    const { notes, text } = await run(at, `python3 map.py now ${names.join(' ')}`);
    expect(Number(text)).toBeGreaterThan(0);
    expect(changed(at)).toEqual([]);
    expect(notes.join()).toContain('were restored');
  });

test('a command in the background that writes into a mapping after another one ended is found when it ends', async () => {
  const at = workspaceIn();
  const running = await begin(at, `exec python3 map.py later ${names.join(' ')}`);
  await run(at, 'until test -e ready; do sleep 0.01; done; touch made');
  await run(at, 'touch go; until test -e done; do sleep 0.01; done; touch seen');
  expect(existsSync(join(at.cwd, 'done'))).toBe(true);
  const said = await running.end();
  expect(changed(at)).toEqual([]);
  expect([...said, ...at.notices].join()).toContain('were restored');
});

test('a kept file that you changed before a command stays as you left it', async () => {
  const at = workspaceIn('/dev/shm');
  await run(at, 'touch made');
  for (const name of names) put(at, { [name]: 'name: mine\n' });
  const { notes } = await run(at, 'touch made');
  expect(notes).toEqual([]);
  expect(names.every((name) => readFileSync(join(at.cwd, name), 'utf8') === 'name: mine\n')).toBe(true);
});
