import type { Effort } from '../protocol/effort.ts';
import type { DefinitionSource } from '../settings/definition-places.ts';

/**
 * A skill or a slash command as its frontmatter tells it: what is needed to list and find it. Its text is read when it
 * is used, and what it may do is judged then, by the very bytes that were read.
 */
export interface Skill {
  readonly name: string;
  readonly kind: 'skill' | 'command';
  readonly source: DefinitionSource;
  readonly file: string;
  /** What links may not lead out of: the repository, or the plugin. */
  readonly within?: string;
  /** What it is for: what a model and a person choose by. */
  readonly description: string;
  /** False where the description is only the beginning of the text. */
  readonly isDescribed: boolean;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  /** Names of arguments, in their order. */
  readonly arguments: readonly string[];
  readonly modelInvocable: boolean;
  readonly userInvocable: boolean;
  /** Rules as written. While it runs no other tools are used; once it is trusted these run unasked. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly model?: string;
  readonly effort?: Effort;
  /** Runs as an agent of this type, with a context of its own. */
  readonly fork?: { readonly agent: string; readonly background: boolean };
  /** What is asked at certain points while it runs, as written. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** Only where files like these are worked on is the model told of it. */
  readonly paths: readonly string[];
  /** What was written and does not count, in sentences for people. */
  readonly notes: readonly string[];
}

/** A file that is left out, and why. */
export interface BrokenSkill {
  file: string;
  line?: number;
  reason: string;
  source: DefinitionSource;
  /** Set where the user named it for this run. */
  flag?: string;
}

export interface ShadowedSkill {
  name: string;
  source: DefinitionSource;
  file: string;
  by: { source: DefinitionSource; file: string };
}
