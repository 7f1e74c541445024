import type { Result } from '../../src/lib/result.ts';

export function get<T>(result: Result<T> | undefined): T {
  if (!result) throw new Error('there is nothing to ask');
  if (!result.ok) throw new Error(`${result.problem.message} ${result.problem.hint ?? ''}`);
  return result.value;
}
