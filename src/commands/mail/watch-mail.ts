import { join } from 'node:path';
import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { sleep } from '../../lib/clock.ts';
import { watchDirectory } from '../../lib/files/watch-directory.ts';
import { ok, type Result } from '../../lib/result.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { listBoxes } from '../../team/mail/box-place.ts';
import { listMail } from '../../team/mail/list-mail.ts';
import { openMailbox } from '../../team/mail/mailbox.ts';
import { watchStops } from '../ask/stop-signals.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type BoxView, chooseBox } from './read-mail.ts';
import { renderMail } from './render-mail.ts';

/** `cadre mail watch`: prints mail that comes from now on, each message once. */
export async function watchMail(
  box: string | undefined,
  flags: FlagsOf<'mail watch'>,
): Promise<number | Result<never>> {
  const io = processIo();
  const around = lookAround({});
  const view = chooseBox(around, box, flags);
  if (!view.ok) return view;
  const stops = watchStops();
  const ended = await follow(io, around, view.value, flags, stops.signal);
  stops.release();
  if (!ended.ok) return ended;
  return stops.code() ?? 1;
}

/** Behind the system's watch. */
const pollMs = 1_000;

async function follow(
  io: Io,
  around: Surroundings,
  view: BoxView,
  flags: FlagsOf<'mail watch'>,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { machine, clock } = around;
  const seen = new Set<string>();
  const own = view.isOwn
    ? openMailbox(view.place, { name: view.box ?? 'user', check: () => true }, around)
    : undefined;
  if (own && !own.ok) return own;
  const watched = new Map<string, () => void>();
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const changed = new AbortController();
      const stop = () => changed.abort();
      signal.addEventListener('abort', stop, { once: true });
      for (const name of view.box === undefined ? listBoxes(view.place, machine) : [view.box])
        watched.set(name, watchDirectory(join(view.place.box(name), 'new'), stop));
      const mail = listMail(view.place, machine, view.box);
      if (!mail.ok) return mail;
      for (const one of mail.value.filter(({ message }) => !seen.has(`${message.to} ${message.id}`))) {
        seen.add(`${one.message.to} ${one.message.id}`);
        // Mail that was there before is shown where it is for the one who watches, and waits.
        const isNew = !isFirst || (own && (one.state === 'written' || one.state === 'delivered'));
        if (isNew && !(await io.writeOut(renderMail(one, flags)))) return ok(undefined);
        if (own?.ok && isNew) own.value.noteRead(one.message.id);
      }
      await sleep(clock, pollMs, changed.signal);
      signal.removeEventListener('abort', stop);
      for (const unwatch of watched.values()) unwatch();
      watched.clear();
    }
    return ok(undefined);
  } finally {
    for (const unwatch of watched.values()) unwatch();
  }
}
