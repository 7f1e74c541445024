import type { AgentStep } from '../../agents/kernel.ts';
import type { AgentSpec } from '../../agents/spec.ts';
import { ok } from '../../lib/result.ts';
import { matchesToolName } from '../../places/names.ts';
import type { Role } from '../../places/types.ts';
import type { Rule, Tool } from '../../protocol/index.ts';
import type { StructuredOutput } from '../../tools/structured-output/synthetic-output.ts';

/** What a program asks of the agent of one call, beyond its type. It holds when a tool runs, not only in what is offered. */
export interface CallConditions {
  tools: readonly string[] | undefined;
  hiddenFiles: readonly string[];
  output: StructuredOutput | undefined;
}

/** Restricts the agent of a call further than its definition does, and gives it the tool for its answer. */
export function callStep(find: (agentId: string) => CallConditions | undefined): AgentStep {
  return {
    name: 'workflow call',
    complete(spec) {
      const conditions = find(spec.id);
      if (!conditions) return ok(undefined);
      spec.output = conditions.output;
      restrictTools(spec, conditions);
      if (conditions.hiddenFiles.length > 0) hideFiles(spec, conditions.hiddenFiles);
      return ok(undefined);
    },
  };
}

/** Never with the tool that starts workflows: a run must not start itself. */
function restrictTools(spec: AgentSpec, { tools: patterns, output }: CallConditions): void {
  const { listed, unlisted, role, ...rest } = spec.tools;
  const isLeft = ({ name }: Pick<Tool, 'name'>) =>
    name !== 'Workflow' &&
    (patterns === undefined || patterns.some((pattern) => matchesToolName(pattern, name)));
  const left = [...listed.filter(isLeft), ...(output ? [output.tool] : [])];
  const stay = () => unlisted().filter(isLeft);
  spec.tools = {
    ...rest,
    listed: left,
    unlisted: stay,
    role: () => narrowRole(role(), [...left, ...stay()], output),
  };
}

function narrowRole(role: Role, tools: readonly Tool[], output: StructuredOutput | undefined): Role {
  const denied = output ? role.denied.filter((pattern) => pattern !== output.tool.name) : role.denied;
  return { ...role, tools: tools.map(({ name }) => name), denied };
}

/** Deny rules hold for every tool, also for commands in the sandbox. */
function hideFiles(spec: AgentSpec, patterns: readonly string[]): void {
  const { permissions, place } = spec;
  const rules = patterns.flatMap((specifier) =>
    (['Read', 'Edit'] as const).map(
      (tool): Rule => ({
        ...{ behaviour: 'deny', tool, specifier, layer: 'session', source: 'the workflow', base: place.cwd },
      }),
    ),
  );
  spec.permissions = () => {
    const judged = permissions();
    return { ...judged, rules: [...judged.rules, ...rules] };
  };
}
