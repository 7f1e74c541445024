import type { TopicName } from './topic-names.ts';
import agents from './topics/agents.md' with { type: 'text' };
import headless from './topics/headless.md' with { type: 'text' };
import hooks from './topics/hooks.md' with { type: 'text' };
import keys from './topics/keys.md' with { type: 'text' };
import limits from './topics/limits.md' with { type: 'text' };
import mcp from './topics/mcp.md' with { type: 'text' };
import models from './topics/models.md' with { type: 'text' };
import permissions from './topics/permissions.md' with { type: 'text' };
import sandbox from './topics/sandbox.md' with { type: 'text' };
import sessions from './topics/sessions.md' with { type: 'text' };
import settings from './topics/settings.md' with { type: 'text' };
import skills from './topics/skills.md' with { type: 'text' };
import teams from './topics/teams.md' with { type: 'text' };
import trust from './topics/trust.md' with { type: 'text' };
import workflows from './topics/workflows.md' with { type: 'text' };
import worktrees from './topics/worktrees.md' with { type: 'text' };

const pages: Readonly<Record<TopicName, string>> = {
  agents,
  headless,
  hooks,
  keys,
  limits,
  mcp,
  models,
  permissions,
  sandbox,
  sessions,
  settings,
  skills,
  teams,
  trust,
  workflows,
  worktrees,
};

/** One page for a terminal: headings in bold where colours are wanted, no Markdown marks. */
export function renderTopic(name: TopicName, isBold: boolean): string {
  const lines = pages[name]
    .trimEnd()
    .split('\n')
    .map((line) => {
      const heading = /^#+ (.*)$/.exec(line)?.[1];
      if (heading === undefined) return line;
      return isBold ? `\u001b[1m${heading}\u001b[0m` : heading;
    });
  return `${lines.join('\n')}\n`;
}

/** The page as it is written, for the manual. */
export function readTopic(name: TopicName): string {
  return pages[name];
}
