/**
 * The process that reads: `reader.ts HOME`. It keeps a transcript, one line per message, as a session does: written first, then noted in
 * the box. After a kill it continues with what the transcript has.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '../../../src/lib/clock.ts';
import { systemMachine } from '../../../src/lib/machine.ts';
import { openMailbox } from '../../../src/team/mail/mailbox.ts';
import { openMembers } from '../../../src/team/members.ts';
import { locateTeam } from '../../../src/team/team-place.ts';

const [home = ''] = process.argv.slice(2);
const place = locateTeam(home, 'proof');
const bob = await claim();
const transcript = openSync(join(home, 'transcript'), 'a+', 0o600);
const known = restore();
const opened = openMailbox(place, bob, {
  machine: systemMachine,
  clock: systemClock,
  tell: (news) => append(`${JSON.stringify({ news: news.kind })}\n`),
});
if (!opened.ok) throw new Error(opened.problem.message);
const box = opened.value;
for (const { id } of box.listDelivered()) box.noteRead(id);
box.onMail(take);
process.on('SIGTERM', () => {
  closeSync(transcript);
  bob.release();
  process.exit(0);
});
setInterval(() => {}, 60_000);

function take(): void {
  for (;;) {
    const mail = box.look();
    if (mail.length === 0) return;
    for (const { id, from, text } of mail) {
      const { n, at } = JSON.parse(text) as { n: number; at: number };
      const line = JSON.stringify({ id, from, n, ms: Date.now() - at });
      // On a full disk it stays in the box.
      if (!known.has(id) && !append(`${line}\n`)) return;
      known.add(id);
      box.noteDelivered(id);
      box.noteRead(id);
    }
  }
}

/** A whole line or nothing. */
function append(line: string): boolean {
  const { size } = fstatSync(transcript);
  try {
    if (writeSync(transcript, line) === Buffer.byteLength(line)) return true;
  } catch {}
  ftruncateSync(transcript, size);
  return false;
}

function restore(): Set<string> {
  const text = readFileSync(join(home, 'transcript'), 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  ftruncateSync(transcript, Buffer.byteLength(whole));
  return new Set(
    whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { id: string }).id),
  );
}

async function claim() {
  for (;;) {
    const claimed = openMembers(place, systemMachine, systemClock).claim('bob', {
      kind: 'session',
      agentId: null,
      sessionId: 'reader',
    });
    if (claimed.ok) return claimed.value;
    await sleep(systemClock, 20);
  }
}
