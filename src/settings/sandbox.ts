import type { LoadedSettings } from './loaded.ts';
import { startTable } from './merge.ts';
import { sandbox } from './table/sandbox.ts';

/** What settings say about the sandbox. A switch is absent where no layer sets it. */
export type SandboxSettings = LoadedSettings['sandbox'];

export function noSandboxSettings(): SandboxSettings {
  return startTable(sandbox.section);
}
