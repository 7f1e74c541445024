/** A process that is a member of a team, claims an item, says so and waits. Arguments: Cadre's directory, item. */
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openBoard } from '../../src/team/board/board.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { facts, value } from './support.ts';

const [home = '', item = ''] = process.argv.slice(2);
const place = locateTeam(home, 'web');
const { incarnation } = value(openMembers(place, systemMachine, systemClock).claim('alice', facts));
const board = openBoard({ directory: place.board, machine: systemMachine, clock: systemClock });
value(board.claim(item, { name: 'alice', incarnation }));
process.stdout.write('claimed\n');
setInterval(() => {}, 1_000);
