import type { Session } from '../session.ts';

/** What a surface asks of a session, wherever it runs: in this process, in another one, or on a worker. */
export type ShownSession = Pick<
  Session,
  | 'id'
  | 'info'
  | 'events'
  | 'send'
  | 'cost'
  | 'team'
  | 'now'
  | 'close'
  | 'continueSuspended'
  | 'messageAgent'
  | 'promptId'
  | 'prompts'
  | 'withdrawPrompt'
  | 'withdrawCompaction'
  | 'waitsToCompact'
  | 'runOwnCommand'
  | 'reviewGround'
  | 'checkpoints'
  | 'previewRewind'
  | 'rewind'
>;
