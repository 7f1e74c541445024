/** One of several processes that want every item of a board. Prints the ids that it won. Arguments: directory, name, way. */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openBoard } from '../../src/team/board/board.ts';

const [directory = '', name = '', way = ''] = process.argv.slice(2);

writeFileSync(join(directory, `ready-${name}`), '');
while (!existsSync(join(directory, 'go'))) await Bun.sleep(1);
process.stdout.write(JSON.stringify(way === 'board' ? raceOnBoard() : raceByCheck()));

function raceOnBoard(): string[] {
  const board = openBoard({ directory, machine: systemMachine, clock: systemClock, isAlive: () => true });
  const items = board.list().map(({ id }) => id);
  return items.filter((id) => board.claim(id, { name, incarnation: `1-${name}` }).ok);
}

/** As boards do it that look whether an item is free and then write it, each file replaced as a whole. */
function raceByCheck(): string[] {
  const items = join(directory, 'items');
  return readdirSync(items)
    .sort()
    .filter((file) => {
      const path = join(items, file);
      const item = JSON.parse(readFileSync(path, 'utf8')) as { owner: string | null };
      if (item.owner !== null) return false;
      writeFileSync(join(directory, `${file}.${name}`), JSON.stringify({ ...item, owner: name }));
      renameSync(join(directory, `${file}.${name}`), path);
      return true;
    });
}
