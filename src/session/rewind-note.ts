import { type Clock, timestamp } from '../lib/clock.ts';
import { escapeHarnessTags, remind } from '../lib/harness-tags.ts';
import type { Ids } from '../lib/ids.ts';
import { visibleLine } from '../lib/text.ts';
import type { UserRecord } from '../protocol/index.ts';
import type { RewindReport } from './rewind-report.ts';

const maxNamed = 20;

/**
 * What the agent must know of a rewind to go on: files that are other than it believes. None where conversation and
 * files fit together.
 */
export function noteFor(
  { what, restored, removed, refused }: RewindReport,
  place: { head: string | null; sessionId: string; clock: Clock; ids: Ids },
): UserRecord | undefined {
  const changed = [...restored, ...removed];
  const lines =
    what === 'files'
      ? [
          ...listed('The user put these files back to how they were earlier in this session:', restored),
          ...listed('The user undid these new files, they are gone:', removed),
        ]
      : listed(
          'The user went back in this conversation. These files were changed after this point, and are as they were left:',
          refused.map(({ path }) => path),
        );
  if (what === 'conversation' || lines.length === 0 || (what === 'files' && changed.length === 0))
    return undefined;
  const text = remind([...lines, 'Read a file before you rely on it.'].join('\n'));
  return {
    type: 'user',
    uuid: place.ids.uuid(),
    parentUuid: place.head,
    sessionId: place.sessionId,
    timestamp: timestamp(place.clock),
    isSidechain: false,
    message: { role: 'user', content: [{ type: 'text', text }] },
    origin: { kind: 'harness' },
  };
}

function listed(title: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > maxNamed ? [`- and ${paths.length - maxNamed} more`] : [];
  return [
    title,
    ...paths.slice(0, maxNamed).map((path) => `- ${escapeHarnessTags(visibleLine(path, 1_000))}`),
    ...more,
  ];
}
