import type { Problem } from '../lib/result.ts';
import type { Io } from './io.ts';

/**
 * Prints what is wrong and what to do, and returns the exit code. A separate file, since every command needs it and few
 * need a session.
 */
export function complain(io: Pick<Io, 'writeErr'>, problem: Problem): number {
  io.writeErr(`cadre: ${problem.message}\n${problem.hint ? `${problem.hint}\n` : ''}`);
  return problem.kind === 'usage' ? 2 : 1;
}
