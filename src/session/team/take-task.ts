import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { removeStart } from '../../team/start-files.ts';
import type { TeamPlace } from '../../team/team-place.ts';
import type { Kernel } from '../kernel.ts';

/** The task of a teammate in a pane: read once, also by one that was killed in the moment between reading it and saying so. */
export function takeTask(
  { events, inbox, opening, place }: Kernel,
  seat: { team: TeamPlace; name: string },
  { task, uuid = place.ids.uuid() }: { task: string; uuid: string | undefined },
): void {
  const noteRead = () => removeStart(seat.team, seat.name, place.machine);
  if (opening.some((one) => one.uuid === uuid)) {
    noteRead();
    return;
  }
  const forget = events.listen((event) => {
    if (event.agentId !== null || event.type !== 'message_added' || event.record.uuid !== uuid) return;
    noteRead();
    forget();
  });
  const content = [{ type: 'text' as const, text: escapeHarnessTags(task) }];
  inbox.post({ delivery: 'queue', content, uuid, origin: { kind: 'mail', from: 'team-lead', id: uuid } });
}
