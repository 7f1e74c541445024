import type { LoadedSettings } from './loaded.ts';
import { startTable } from './merge.ts';
import { sandbox } from './table/sandbox.ts';

/** The sandbox settings. A switch is absent if no layer sets it. */
export type SandboxSettings = LoadedSettings['sandbox'];

export function noSandboxSettings(): SandboxSettings {
  return startTable(sandbox.section);
}
