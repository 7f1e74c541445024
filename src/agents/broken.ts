import type { AgentDefinition, AgentSource } from './definition.ts';

export interface BrokenAgent {
  /** Or the flag, where the definition stands in the flag itself. */
  file: string;
  line?: number;
  reason: string;
  source: AgentSource;
  /** Set where the user named it for this run: then it is worth an end with a message. */
  flag?: string;
}

/** What one file, flag or program gave. */
export interface ReadAgents {
  definitions: AgentDefinition[];
  broken: BrokenAgent[];
}
