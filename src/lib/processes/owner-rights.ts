import { ok, type Result } from '../result.ts';

/** For the whole process, by mark: processes are started in many places, and all of them mean the same owner. */
const rights = new Map<string, () => Result<void>>();

/**
 * From now on no process with this mark is started unless `check` succeeds. Returns how to end that; an owner whose check fails then
 * keeps its refusal, since some of its work may still be ending.
 */
export function guardOwner(owner: string, check: () => Result<void>): () => void {
  rights.set(owner, check);
  return () => {
    if (rights.get(owner) === check && check().ok) rights.delete(owner);
  };
}

/** Whether processes with this mark, or one below it, may be started. Ask right before. */
export function checkOwner(owner: string | undefined): Result<void> {
  const check = owner === undefined ? undefined : rights.get(owner.split('/', 1)[0] ?? '');
  return check?.() ?? ok(undefined);
}
