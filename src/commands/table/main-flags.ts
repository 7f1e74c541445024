import { teammateModes } from '../../protocol/team.ts';
import { addDir, agents, permissionMode, pluginDir, settings, trust } from './common-flags.ts';
import {
  choice,
  count,
  dollars,
  duration,
  type FlagValues,
  jsonObject,
  negated,
  optionalText,
  repeated,
  text,
  toggle,
  toolList,
  usualChoice,
} from './flag.ts';

const schemaHint =
  'Give a JSON schema of an object, such as {"type":"object","properties":{"answer":{"type":"string"}}}.';

const output = {
  print: toggle('print the answer and exit, without the terminal app', { short: '-p' }),
  outputFormat: usualChoice('format', ['text', 'json', 'stream-json'], 'output format'),
  inputFormat: usualChoice('format', ['text', 'stream-json'], 'input format'),
  jsonSchema: jsonObject(
    'schema',
    'JSON schema for the answer, which is returned in structured_output',
    schemaHint,
  ),
  includePartialMessages: toggle('stream-json: include answers piece by piece'),
  replayUserMessages: toggle('stream-json: include each prompt when it is read'),
  includeHookEvents: toggle('stream-json: include hook events'),
  forwardSubagentText: toggle('stream-json: include the text and thinking of agents'),
  screenReader: toggle('terminal app: plain lines, no animation'),
  awaitInitialize: toggle('read the first message before anything else', { isHidden: true }),
  verbose: toggle('report on stderr when agents start and end'),
  debug: toggle('print debug messages and stack traces to stderr', { short: '-d' }),
};

const model = {
  model: text('name', 'model: provider/id, a bare id, or opus, sonnet, haiku', { completes: 'model' }),
  fallbackModel: text('name', 'model to use when the main model stays rate-limited', { completes: 'model' }),
  wait: duration('wait this long for a limit that resets later: 90m, 6h; default 6h, with -p 0'),
  thinking: choice(
    'how',
    ['adaptive', 'disabled'],
    'let the model choose how much to think, or turn thinking off',
  ),
  maxThinkingTokens: count('count', 'token budget for thinking; 0: no thinking', 0),
  systemPrompt: text('text', 'replace the system prompt'),
  appendSystemPrompt: text('text', 'add to the system prompt'),
  maxTurns: count(
    'count',
    'stop a run after this many model calls; a prompt begins a run, and so does a result that wakes the agent',
  ),
  maxBudgetUsd: dollars('stop when the session and its agents have cost this much'),
  maxTokens: count('count', 'stop when the session and its agents have used this many tokens'),
};

const permissions = {
  permissionMode: permissionMode('permission mode: what Cadre asks you about'),
  allowedTools: toolList('rules', 'allow without asking: Read,Edit(src/**),"Bash(npm test)"', {
    also: '--allowedTools',
  }),
  disallowedTools: toolList('rules', 'deny, in the same form', { also: '--disallowedTools' }),
  tools: toolList('names', 'use only these built-in tools; "": none, "default": all'),
  addDir: addDir('work in this directory too'),
  trust: trust("apply this repository's own settings in this run; see cadre trust"),
  dangerouslySkipPermissions: toggle('never ask; deny rules still apply'),
  allowDangerouslySkipPermissions: toggle('allow switching to bypassPermissions later'),
  permissionPromptTool: text('name', 'stdio: the host answers questions', { isHidden: true }),
  permissionPrompts: choice('who', ['host', 'none'], 'who answers questions', { isHidden: true }),
};

const configuration = {
  agent: text('name', 'run the session as this agent, with its prompt, tools and model', {
    completes: 'agent',
  }),
  agents: agents('more agents, in addition to the agent files'),
  teammateMode: choice(
    'mode',
    teammateModes,
    'where teammates run; auto: in panes if the terminal has them, see cadre help teams',
  ),
  teamMember: text('name@team', 'run as this member of a team, in a pane that its leader opened', {
    isHidden: true,
  }),
  engine: text('address', 'send remote agents to workers through this engine; see docs/remote.md'),
  remote: toggle('run agents on workers, unless a call or a definition says where'),
  coordinator: toggle('the main agent only directs workers, which do the work'),
  pluginDir: pluginDir('load a plugin: its agents, skills, commands and hooks'),
  mcpConfig: repeated('file-or-json', 'more MCP servers, in addition to the files', { completes: 'file' }),
  strictMcpConfig: toggle('use only the MCP servers of --mcp-config'),
  disableSlashCommands: toggle('load no skills and no slash commands'),
  settings: settings('more settings, which override the files'),
  settingSources: text('list', 'settings files to read: user,project,local'),
};

const session = {
  continue: toggle('continue the latest session of this directory', { short: '-c' }),
  resume: optionalText('id', 'continue a session; without an id, choose one (with -p: the latest)', {
    short: '-r',
    completes: 'session',
  }),
  forkSession: toggle('with --resume or --continue: continue in a copy'),
  sessionId: text('uuid', 'id for the new session'),
  sessionPersistence: negated('delete the session when it ends'),
  worktree: optionalText('name', 'work in a separate git worktree; see cadre help worktrees', {
    short: '-w',
    completes: 'worktree',
  }),
  record: text('file', 'record the run in a file', { completes: 'file' }),
  replay: text('file', 'replay a recorded run without calling a model or changing anything', {
    completes: 'file',
  }),
  byHand: toggle('with --replay in the terminal app: enter the recorded prompts and answers yourself'),
};

/** The flags of `cadre` itself, in the groups that its help shows. */
export const mainFlags = {
  output: { heading: 'Output:', flags: output },
  model: { heading: 'Model and limits:', flags: model },
  permissions: { heading: 'Permissions:', flags: permissions },
  configuration: { heading: 'Agents and settings:', flags: configuration },
  session: { heading: 'Session:', flags: session },
};

/** The values given for `cadre` itself, group by group. */
export type MainFlags = {
  [Group in keyof typeof mainFlags]: FlagValues<(typeof mainFlags)[Group]['flags']>;
};
