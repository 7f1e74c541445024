/** The topics of `cadre help TOPIC`: the name of each page in `topics/`. */
export const topicNames = [
  'agents',
  'headless',
  'hooks',
  'keys',
  'limits',
  'mcp',
  'models',
  'permissions',
  'sandbox',
  'sessions',
  'settings',
  'skills',
  'teams',
  'trust',
  'workflows',
  'worktrees',
] as const;

export type TopicName = (typeof topicNames)[number];
