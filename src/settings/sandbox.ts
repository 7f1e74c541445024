import type { Rule } from '../protocol/permission.ts';

/** What settings say of the sandbox. Undefined: nobody said anything. */
export interface SandboxSettings {
  enabled?: boolean;
  failIfUnavailable?: boolean;
  autoAllowBashIfSandboxed?: boolean;
  allowUnsandboxedCommands?: boolean;
  excludedCommands: string[];
  network: {
    allowedDomains: string[];
    deniedDomains: string[];
    allowAllUnixSockets?: boolean;
    allowLocalBinding?: boolean;
  };
  filesystem: {
    /** Absolute. */
    allowWrite: string[];
    allowRead: string[];
    /** `denyRead` and `denyWrite`, as rules on `Read` and `Edit`. */
    denied: Rule[];
  };
  bwrapPath?: string;
  socatPath?: string;
}

export function noSandboxSettings(): SandboxSettings {
  return {
    excludedCommands: [],
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { allowWrite: [], allowRead: [], denied: [] },
  };
}
