import { escapeHarnessTags, remind } from '../../lib/text/harness-tags.ts';
import type { CompactionTrigger } from '../../protocol/index.ts';

export interface OpeningParts {
  trigger: CompactionTrigger;
  summary: string;
  /** State that the harness knows without the model. */
  state: string;
  /** Excerpts of messages that wait for an answer and could not stay as they were. */
  told: string;
  /** Whether earlier messages follow. */
  isFollowed: boolean;
}

/** The text that replaces everything before a compaction. It is marked as coming from the harness. */
export function renderOpening({ trigger, summary, state, told, isFollowed }: OpeningParts): string {
  const why =
    trigger === 'manual'
      ? 'The user asked for it.'
      : 'The conversation had become too long for the context window.';
  const parts = [
    `The conversation before this point was replaced by this note. ${why}`,
    ...(summary ? ['# Summary, written by you', escapeHarnessTags(summary)] : []),
    ...(state ? ['# State kept by the harness', escapeHarnessTags(state)] : []),
    ...(told ? ['# The last messages, shortened', told] : []),
    isFollowed ? followed : alone,
  ];
  return remind(parts.join('\n\n'));
}

const goOn =
  'Continue from here as if nothing had happened: do not ask the user to repeat anything and do not mention this note. ' +
  'Read files again if you need their text; content omitted from a message is in the file that the message names.';

const followed = `The latest messages, which the summary does not cover, follow this note unchanged. ${goOn}`;

const alone = goOn;
