import type { Problem } from '../../lib/result.ts';
import { noUsage, type Outcome } from '../../protocol/index.ts';
import { leftRunning } from '../../tasks/task-surroundings.ts';
import type { RemoteResult } from './read-event.ts';

export function fillOutcome({ outcome }: RemoteResult): Outcome {
  const { reason, output, ...rest } = outcome;
  return {
    ...rest,
    ...(reason === undefined ? {} : { reason }),
    ...(output === undefined ? {} : { output }),
  };
}

export function countTokens(usage: RemoteResult['outcome']['usage']): number {
  return Object.values(usage).reduce((sum, tokens) => sum + tokens, 0);
}

export const stopped: Outcome = {
  kind: 'interrupted',
  text: '',
  reason: 'The agent was stopped.',
  turns: 0,
  usage: noUsage,
};

export const left: Outcome = { ...stopped, reason: leftRunning };

export function failed(reason: string): Outcome {
  return { kind: 'failed', text: '', reason, turns: 0, usage: noUsage };
}

export function fail({ message, hint }: Problem): Outcome {
  return failed(hint ? `${message} ${hint}` : message);
}
