import { fail, ok, type Result } from '../lib/result.ts';
import type { AgentDefinition } from './definition.ts';

export interface ModelWishes<Model> {
  /** The call's own parameter. */
  call?: string | undefined;
  definition: Pick<AgentDefinition, 'name' | 'model'>;
  /** The value of `CADRE_SUBAGENT_MODEL` or `CLAUDE_CODE_SUBAGENT_MODEL`. */
  environment?: string | undefined;
  parent: Model;
  resolve(name: string): Result<Model>;
  /** What was said already in this session; the session's own, and added to here. */
  said: Set<string>;
}

export interface ChosenModel<Model> {
  model: Model;
  from: 'call' | 'definition' | 'environment' | 'parent';
  /** For the user, once. */
  note?: string;
}

const aliases: ReadonlySet<string> = new Set(['haiku', 'sonnet', 'opus', 'fable']);

/**
 * The model of one agent: call, definition, environment, parent, whichever speaks first. A family's name that stands
 * for nothing in the configured provider is no reason to fail: the parent's model does the work. A full name that
 * cannot be had is one.
 */
export function resolveAgentModel<Model>(wishes: ModelWishes<Model>): Result<ChosenModel<Model>> {
  const { call, definition, environment, parent, resolve, said } = wishes;
  const wished = [
    { name: call, from: 'call' as const },
    { name: definition.model, from: 'definition' as const },
    { name: environment === 'inherit' ? undefined : environment, from: 'environment' as const },
  ].find(({ name }) => name !== undefined && name !== '');
  if (wished?.name === undefined || wished.name === 'inherit') return ok({ model: parent, from: 'parent' });
  const { name, from } = wished;
  const found = resolve(name);
  if (found.ok) return ok({ model: found.value, from });
  if (!aliases.has(name))
    return fail({
      ...found.problem,
      message: `${origin(wished.from, definition.name)}: ${found.problem.message}`,
    });
  const isNew = !said.has(name);
  said.add(name);
  const note = `The model alias ${name} stands for no model here; agents that ask for it use their parent's. Map it with modelAliases in settings.`;
  return ok({ model: parent, from: 'parent', ...(isNew ? { note } : {}) });
}

function origin(from: 'call' | 'definition' | 'environment', name: string): string {
  if (from === 'call') return 'model';
  return from === 'definition' ? `The definition of ${name}, model` : 'CADRE_SUBAGENT_MODEL';
}
