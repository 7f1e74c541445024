/** Begins a command in the given room that outlives us, and is killed. */

import { lingering, takenOverRoom } from './outlive-inside.ts';
import { begin } from './support.ts';

const [path = '', token = ''] = process.argv.slice(2);
await begin(takenOverRoom(path), `${lingering(token)} sleep 600`);
process.kill(process.pid, 'SIGKILL');
