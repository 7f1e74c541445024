import type { CallEffect } from './tool.ts';

/** Another process writes from here on: records of an earlier epoch that follow are ignored. */
export interface EpochRecord {
  type: 'epoch';
  timestamp: string;
  epoch: number;
  pid: number;
}

/**
 * A call is about to run that can change something. A call of the last message without a result has been begun if there is one of
 * these, and not otherwise.
 */
export interface CallBegunRecord {
  type: 'call-begun';
  toolUseId: string;
  effect: Exclude<CallEffect, 'harmless'>;
}

/** These prompts wait no longer: they were read, refused or withdrawn. */
export interface LetterOverRecord {
  type: 'letter-over';
  timestamp: string;
  messageUuids: string[];
}

/** How a letter that is a prompt is read. */
export interface PromptFields {
  delivery?: 'steer' | 'queue';
  isVerbatim?: boolean;
  isQuiet?: boolean;
}
