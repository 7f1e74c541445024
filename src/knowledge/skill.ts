import type { Effort } from '../protocol/effort.ts';
import type { DefinitionSource } from '../settings/definition-places.ts';

/**
 * A skill or a slash command as its frontmatter describes it: what is needed to list and find it. Its text is read when
 * it is used, and its rights are judged then, by the exact bytes that were read.
 */
export interface Skill {
  readonly name: string;
  readonly kind: 'skill' | 'command';
  readonly source: DefinitionSource;
  readonly file: string;
  /** The directory that links may not leave: the repository, or the plugin. */
  readonly within?: string;
  /** Its purpose; models and users choose by it. */
  readonly description: string;
  /** False if the description is only the beginning of the text. */
  readonly isDescribed: boolean;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  /** Names of arguments, in their order. */
  readonly arguments: readonly string[];
  readonly modelInvocable: boolean;
  readonly userInvocable: boolean;
  /** Rules as written. While it runs, calls that they name need no approval, once the file is trusted. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly model?: string;
  readonly effort?: Effort;
  /** Runs as an agent of this type, with its own context. */
  readonly fork?: { readonly agent: string; readonly background: boolean };
  /** Its hooks while it runs, as written. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** The model gets it only when it works on files like these. */
  readonly paths: readonly string[];
  /** Fields that were ignored and why, in sentences for people. */
  readonly notes: readonly string[];
}

/** A file that is left out, and why. */
export interface BrokenSkill {
  file: string;
  line?: number;
  reason: string;
  source: DefinitionSource;
  /** It may not be read for a model. */
  isRefused?: true;
  /** Set if the user named it for this run. */
  flag?: string;
}

export interface ShadowedSkill {
  name: string;
  source: DefinitionSource;
  file: string;
  by: { source: DefinitionSource; file: string };
}
