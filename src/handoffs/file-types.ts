import type { DefinitionSource } from '../settings/definition-places.ts';
import type { HandoffFileKind } from './built-in.ts';
import type { HandoffPhase } from './schema.ts';

export type HandoffSource = DefinitionSource | 'built-in';

interface HandoffFile {
  name: string;
  description: string;
  source: HandoffSource;
  /** Absent for a built-in one. */
  file?: string | undefined;
  /** The text below the fields. */
  body: string;
  notes: readonly string[];
}

/** A named list of tools. It narrows: permissions and rules still apply to every call. */
export interface HandoffProfile extends HandoffFile {
  tools: readonly string[];
  useCases: readonly string[];
}

/** One role: what the agent is for, and the profile that it runs with. */
export interface HandoffTemplate extends HandoffFile {
  phase: HandoffPhase;
  profile: string;
  /** Tools beside those of the profile. */
  moreTools: readonly string[];
  /** In place of the role's own. */
  model?: string | undefined;
}

export type HandoffProtocol = HandoffFile;

export interface BrokenHandoffFile {
  file: string;
  source: HandoffSource;
  line?: number | undefined;
  reason: string;
  /** What it would have replaced or added; absent for a folder that cannot be read. */
  kind?: HandoffFileKind | undefined;
  name?: string | undefined;
}

/** A file of a repository that the user has not trusted. */
export interface HeldHandoffFile {
  kind: HandoffFileKind;
  name: string;
  file: string;
}
