/** One process that sends: `sender.ts HOME NAME COUNT EVERY-MS`. Prints what it sent and how often it was refused. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '../../../src/lib/clock.ts';
import { systemMachine } from '../../../src/lib/machine.ts';
import { openPost } from '../../../src/team/mail/post-mail.ts';
import { openMembers } from '../../../src/team/members.ts';
import { locateTeam } from '../../../src/team/team-place.ts';

const [home = '', name = '', count = '0', every = '0'] = process.argv.slice(2);
const place = locateTeam(home, 'proof');
const claimed = openMembers(place, systemMachine, systemClock).claim(name, {
  kind: 'session',
  agentId: null,
  sessionId: name,
});
const post = openPost(place, { machine: systemMachine, clock: systemClock });
if (!claimed.ok || !post.ok) throw new Error(JSON.stringify([claimed, post]));

while (!existsSync(join(home, 'go'))) await sleep(systemClock, 5);
let refused = 0;
const sending: Promise<void>[] = [];
const begin = performance.now() + Math.random() * Number(every);
for (let n = 0; n < Number(count); n++) {
  if (Number(every) > 0) await sleep(systemClock, Math.max(0, begin + n * Number(every) - performance.now()));
  const sent = send(n);
  if (Number(every) > 0) sending.push(sent);
  else await sent;
}
await Promise.all(sending);
console.log(JSON.stringify({ refused }));
process.exit(0);

/** Again until it is in the box: on a full disk it is refused, and nothing is sent. */
async function send(n: number): Promise<void> {
  for (;;) {
    if (!claimed.ok || !post.ok) return;
    const text = JSON.stringify({ n, at: Date.now() });
    const sent = await post.value.send({ to: 'bob', kind: 'text', text }, claimed.value);
    if (sent.ok) return;
    refused++;
    await sleep(systemClock, 20);
  }
}
