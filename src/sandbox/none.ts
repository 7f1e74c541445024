import { failure } from '../lib/result.ts';
import type { Sandbox } from '../protocol/sandbox.ts';

/** Used when no sandbox is available. It says why, and confines nothing. */
export function noSandbox(message: string, hint?: string): Sandbox {
  return {
    name: 'none',
    probe: async () => failure(message, hint),
    confine: async () => failure(`The command cannot be confined. ${message}`, hint),
  };
}
