import type { AgentStep } from '../../agents/kernel.ts';
import { ok } from '../../lib/result.ts';
import { remind } from '../../lib/text/harness-tags.ts';
import type { OpenTeam } from './open-team.ts';
import guide from './teammate.md' with { type: 'text' };

/** What a teammate knows of its team: how to take part, and who is there when it starts (TM7). */
export function teamStep(findTeam: () => OpenTeam | undefined): AgentStep {
  return {
    name: 'team',
    complete(spec) {
      const { standby, name } = spec.request;
      const team = findTeam();
      if (!standby || !team || spec.earlier || name === undefined) return ok(undefined);
      spec.system = [...spec.system, describeTeam(name, team.name)];
      const told = [spec.conversation.reminder, remind(team.describeMembers(name))];
      spec.conversation.reminder = told.filter((text) => text !== undefined).join('\n\n');
      return ok(undefined);
    },
  };
}

export function describeTeam(name: string, team: string): string {
  return guide.trim().replaceAll('{name}', name).replaceAll('{team}', team);
}
