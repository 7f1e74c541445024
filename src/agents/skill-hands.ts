import type { SkillHands } from '../knowledge/expand-skill.ts';
import { callAs } from '../loop/call-as.ts';
import type { AgentEvent, ToolResult } from '../protocol/index.ts';
import type { AgentKernel } from './kernel.ts';
import type { LiveAgent } from './roster.ts';

/** Lets a skill's text have commands run and files read: as calls of the agent that uses it, with its tools and rights. */
export function skillHands(
  { publish }: Pick<AgentKernel, 'publish'>,
  { context }: Pick<LiveAgent, 'context'>,
  toolUseId: string,
  userHome: string,
): SkillHands {
  let calls = 0;
  const call = async (
    name: string,
    input: Record<string, unknown>,
    variables?: Readonly<Record<string, string>>,
  ): Promise<ToolResult> => {
    const id = `${toolUseId}-${++calls}`;
    const running = callAs(context, { type: 'tool_use', id, name, input }, variables);
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
      if (concernsPeople(step.value)) publish(step.value);
    }
  };
  const { directory } = context.hands;
  return {
    cwd: directory.current,
    userHome,
    async run(command, variables) {
      const before = directory.current;
      const result = await call('Bash', { command }, variables);
      // A text that is being read does not move its reader.
      if (directory.current !== before) directory.move(before);
      return result;
    },
    read: (path) => call('Read', { file_path: path }),
  };
}

/** The calls themselves are part of the skill's use; what was asked and refused is everybody's business. */
function concernsPeople({ type }: AgentEvent): boolean {
  return type === 'question_asked' || type === 'question_answered' || type === 'permission_denied';
}
