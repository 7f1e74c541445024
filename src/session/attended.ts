import type { SessionOptions } from './options.ts';

/** Whether questions can be answered at all. */
export function isAttended({ attended, onQuestion, approvals }: SessionOptions): boolean {
  return attended === true || onQuestion !== undefined || approvals !== undefined;
}
