import { excerpt } from './divergence.ts';
import type { TapeLine } from './read-tape.ts';
import type { TapeEntry } from './tape.ts';

/** The name of what a waiter waits for. */
export function nameStep({ line, entry }: TapeLine): string {
  switch (entry.type) {
    case 'event':
      return `the answer to request ${entry.request}`;
    case 'progress':
    case 'effect':
    case 'result':
    case 'threw':
      return `the call ${entry.call}`;
    case 'task':
      return `task ${entry.task}`;
    case 'answer':
      return `the answer to question ${entry.question}`;
    case 'seen':
      return entry.of;
    case 'timer':
      return `timer ${entry.timer}`;
    case 'command':
      return `the command of line ${line}`;
    default:
      return '';
  }
}

/** An entry in words, bounded. */
export function describeStep(entry: TapeEntry, line = 0): string {
  switch (entry.type) {
    case 'request':
      return `request ${entry.request} of ${agentName(entry.agent)}`;
    case 'call':
      return `a call of ${entry.name} (${entry.call}) with ${excerpt(JSON.stringify(entry.input))}`;
    case 'command':
      return `the command ${excerpt(JSON.stringify(entry.command))}`;
    default:
      return `${nameStep({ line, entry })}: ${excerpt(JSON.stringify(entry))}`;
  }
}

export function agentName(agent: string | null): string {
  return agent === null ? 'the lead' : `agent ${agent}`;
}
