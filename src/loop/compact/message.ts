import { escapeHarnessTags, remind } from '../../lib/text/harness-tags.ts';
import type { CompactionTrigger } from '../../protocol/index.ts';

export interface OpeningParts {
  trigger: CompactionTrigger;
  summary: string;
  /** What the harness knows by itself. */
  state: string;
  /** Excerpts of messages that wait for an answer and could not stay as they were. */
  told: string;
  /** Whether messages of before follow. */
  isFollowed: boolean;
}

/** The text that stands for everything before a compaction. The harness says it, and says so. */
export function renderOpening({ trigger, summary, state, told, isFollowed }: OpeningParts): string {
  const why =
    trigger === 'manual'
      ? 'The user asked for it.'
      : 'The conversation had become too long for the context window.';
  const parts = [
    `The conversation before this point was replaced by what follows. ${why}`,
    ...(summary ? ['# Summary, written by you', escapeHarnessTags(summary)] : []),
    ...(state ? ['# What the harness knows', escapeHarnessTags(state)] : []),
    ...(told ? ['# The last messages, shortened', told] : []),
    isFollowed ? followed : alone,
  ];
  return remind(parts.join('\n\n'));
}

const goOn =
  'Go on from here as if nothing had happened: do not ask the user to repeat anything and do not mention this note. ' +
  'Files may have to be read again for their text; what was left out of a message is in the file that it names.';

const followed = `After this note come the latest messages as they were, without those between that the summary covers. ${goOn}`;

const alone = goOn;
