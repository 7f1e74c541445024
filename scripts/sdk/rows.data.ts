/**
 * What this program does with each thing that the official agent SDK declares. The page docs/headless.md shows it; a test of
 * the installed version fails where a row is missing. `test` is the title of a test that shows it.
 */
export type SdkState = 'works' | 'in part' | 'refused';

export type SdkRow = readonly [state: SdkState, about: string, test: string];

type Area = Readonly<Record<string, SdkRow>>;

const refusedOptions = 'options that are not there are refused by name: %s';
const refusedMethods = 'methods that are not there are refused by name, and the session continues';
const refusedFields = 'initialize is refused by name when %s is %j';
const refusedRequests = 'a request that is not there is refused by name, and the session continues: %s';
const refusedBlocks = 'a block that cannot be taken is refused by name: %j';
const foreignFields = 'a prompt with %s is refused by name: it belongs to messages of agents';
const abilities = 'what only says what the host can do is taken, and no dialog is sent';
const plainRun = 'a plain question: init, answer, result';
const served = 'mcpServerStatus(), toggleMcpServer(), reconnectMcpServer() and setMcpServers()';
const fromInitialize =
  'initializationResult(), supportedCommands(), supportedModels() and accountInfo() answer from initialize';
const history =
  'continue goes on with the latest session; sessionId names a new one; title and persistSession hold';
const programs =
  'executable and executableArgs are for programs in JavaScript; spawnClaudeCodeProcess starts ours';
const chosen = 'settings, sandbox and settingSources are in force';
const files = 'PDFs and images, as data or by address, reach the model as they are';
const describing = 'fields that only describe a prompt leave it as it is';
const able = 'initialize takes what is switched off, and what only says what the host can do';
const agentFields = 'agents: fields of a definition hold, or are refused by name';

const elsewhere = 'functions that ask no program look at files of another product, and find none of ours';
const foreignSessions = "looks at another product's files; ours: `cadre sessions`";
const foreignSettings = "looks at another product's files; ours: `cadre doctor`";
const warm = 'startup() starts the program before the prompt is known, and prewarm() is refused by name';

const functions: Area = {
  query: ['works', '', plainRun],
  startup: ['works', '', warm],
  prewarm: ['refused', '`--await-claim`', warm],
  createSdkMcpServer: ['works', '', served],
  tool: ['works', '', served],
  listSessions: ['in part', foreignSessions, elsewhere],
  getSessionInfo: ['in part', foreignSessions, elsewhere],
  getSessionMessages: ['in part', foreignSessions, elsewhere],
  getSubagentMessages: ['in part', foreignSessions, elsewhere],
  listSubagents: ['in part', foreignSessions, elsewhere],
  renameSession: ['in part', foreignSessions, elsewhere],
  tagSession: ['in part', foreignSessions, elsewhere],
  archiveSession: ['in part', foreignSessions, elsewhere],
  unarchiveSession: ['in part', foreignSessions, elsewhere],
  deleteSession: ['in part', foreignSessions, elsewhere],
  forkSession: ['in part', `${foreignSessions}, and the option \`forkSession\``, elsewhere],
  importSessionToStore: ['in part', foreignSessions, elsewhere],
  foldSessionSummary: ['in part', 'for `sessionStore`, which is refused', elsewhere],
  resolveSettings: ['in part', foreignSettings, elsewhere],
  filterEscalatingDefaultMode: ['in part', foreignSettings, elsewhere],
  matchDeniedModels: ['in part', foreignSettings, elsewhere],
};

const options: Area = {
  abortController: ['works', 'ends the program', 'abortController and close() end the program'],
  additionalDirectories: ['works', '`--add-dir`', 'additionalDirectories: files there are read unasked'],
  projectConfigRoot: ['refused', '`--project-config-root`', refusedOptions],
  agent: [
    'works',
    'its prompt, tools and model; a `systemPrompt` of the host replaces the prompt',
    'agent: the session runs as that agent, with its prompt and tools',
  ],
  agents: [
    'works',
    'see the fields below',
    'agents of the options are delegated to; their frames name the call that started them',
  ],
  allowedTools: ['works', '', 'options reach us: model, maxTurns, system prompt, allowed tools'],
  canUseTool: ['works', '[questions](#questions)', 'canUseTool allows, with a changed input'],
  continue: ['works', '', history],
  cwd: ['works', '', plainRun],
  disallowedTools: [
    'works',
    'a tool without a specifier is not shown',
    'tools and disallowedTools choose what the model has',
  ],
  toolAliases: ['refused', '', refusedOptions],
  tools: ['works', '', 'tools and disallowedTools choose what the model has'],
  env: ['works', '', plainRun],
  executable: ['in part', 'for a script that starts `cadre`; the program itself is none', programs],
  executableArgs: ['in part', 'as `executable`', programs],
  extraArgs: [
    'works',
    'flags of `cadre`; an unknown one is refused',
    'extraArgs are flags: one that is there works, another is refused by name',
  ],
  fallbackModel: [
    'in part',
    'one name; a list is refused',
    'fallbackModel answers when the model is overloaded; a list of names is refused by name',
  ],
  enableFileCheckpointing: [
    'works',
    'always on',
    'rewindFiles() puts files back to how they were at a prompt, getContextUsage() tells how full it is',
  ],
  toolConfig: ['refused', '`askUserQuestion.previewFormat`', refusedOptions],
  forkSession: ['works', '', 'resume goes on with a session, forkSession in a copy'],
  betas: ['refused', '`--betas`', refusedOptions],
  hooks: [
    'in part',
    'an event that is not [there](hooks.md) is named on standard error, and refused with `onFailure: "block"`',
    'hooks are called back, and includeHookEvents tells of them',
  ],
  onElicitation: ['works', 'also without `canUseTool`', 'onElicitation answers what an MCP server asks'],
  onUserDialog: ['in part', 'no dialog is ever sent', abilities],
  supportedDialogKinds: ['in part', 'no dialog is ever sent', abilities],
  perTaskStopAffordance: ['in part', 'an interrupt spares background work for every host', abilities],
  persistSession: ['works', '', history],
  sessionStore: ['refused', '`--session-mirror`', refusedOptions],
  sessionStoreFlush: ['in part', 'without `sessionStore`, which is refused, it means nothing', abilities],
  loadTimeoutMs: ['in part', 'as `sessionStoreFlush`', abilities],
  includeHookEvents: ['works', '', 'hooks are called back, and includeHookEvents tells of them'],
  includePartialMessages: ['works', '', 'includePartialMessages: the pieces of an answer as they arrive'],
  forwardSubagentText: ['works', '', 'forwardSubagentText forwards what agents say'],
  verbatimPrompts: ['works', '', 'verbatimPrompts: a prompt is sent as it is written'],
  thinking: ['in part', '`display` is refused', 'thinking and maxThinkingTokens reach the request'],
  effort: ['refused', '`--effort`; `effort` of an agent works', refusedOptions],
  maxThinkingTokens: ['works', '', 'thinking and maxThinkingTokens reach the request'],
  maxTurns: [
    'works',
    "counted for each run: a prompt begins one, and so does an agent's result that wakes the lead",
    'options reach us: model, maxTurns, system prompt, allowed tools',
  ],
  maxBudgetUsd: ['works', '', 'maxBudgetUsd ends a session with its own kind of result'],
  taskBudget: ['refused', '`--task-budget`', refusedOptions],
  mcpServers: [
    'in part',
    'servers in the host, programs, `http`, `sse`; `timeout` and `tools` hold, `always_allow` grants nothing; `alwaysLoad` has no effect: tools are always shown',
    'mcpServers: those in the host with their policies, and programs',
  ],
  mcpServersDelivery: ['works', '', 'servers go to the program by flag and by mcpServersDelivery initialize'],
  model: ['works', '', 'options reach us: model, maxTurns, system prompt, allowed tools'],
  outputFormat: [
    'works',
    '[structured output](#structured-output)',
    'outputFormat: the answer has the shape of the schema',
  ],
  pathToClaudeCodeExecutable: ['works', 'the path of `cadre`', plainRun],
  permissionMode: ['works', '', 'permissionMode plan with planModeInstructions: these replace the phases'],
  planModeInstructions: [
    'works',
    '',
    'permissionMode plan with planModeInstructions: these replace the phases',
  ],
  allowDangerouslySkipPermissions: [
    'works',
    '',
    'interrupt() ends a running command; the session takes the next prompt',
  ],
  permissionPromptToolName: ['refused', 'only `stdio`, which is `canUseTool`', refusedOptions],
  permissionPrompts: [
    'works',
    '',
    "permissionPrompts: 'none' denies what would be asked, and canUseTool is not called",
  ],
  plugins: [
    'in part',
    '`skipMcpDiscovery` is refused',
    'plugins are loaded, by flag and by pluginDelivery initialize',
  ],
  pluginDelivery: ['works', '', 'plugins are loaded, by flag and by pluginDelivery initialize'],
  promptSuggestions: ['refused', '`true`', refusedOptions],
  agentProgressSummaries: ['refused', '`true`', refusedOptions],
  resume: ['works', '', 'resume goes on with a session, forkSession in a copy'],
  sessionId: ['works', '', history],
  resumeSessionAt: ['refused', '`--resume-session-at`', refusedOptions],
  resumeDropsTurn: ['refused', '`--resume-drops-turn`', refusedOptions],
  sandbox: [
    'in part',
    'the [settings](sandbox.md) there are; others are named in a notice, wrong values refused',
    chosen,
  ],
  settings: ['in part', 'the [settings](settings.md) there are; others are named in a notice', chosen],
  managedSettings: ['refused', '`--managed-settings`', refusedOptions],
  settingSources: ['works', 'agents, skills, servers and memory files too', chosen],
  skills: ['works', '', 'skills: the model is shown these alone'],
  debug: ['works', 'to standard error', 'debug and stderr: messages of the program reach the host'],
  debugFile: ['refused', '`--debug-file`', refusedOptions],
  stderr: ['works', '', 'debug and stderr: messages of the program reach the host'],
  strictMcpConfig: ['works', '', 'mcpServers: those in the host with their policies, and programs'],
  systemPrompt: [
    'in part',
    '`excludeDynamicSections` is refused; `snapshot` changes nothing: a prompt is rendered once for each start',
    'systemPrompt: text, blocks, preset and append',
  ],
  title: ['works', 'a resumed session keeps its own', history],
  spawnClaudeCodeProcess: ['works', '', programs],
};

const methods: Area = {
  interrupt: ['works', '', 'interrupt() ends a running command; the session takes the next prompt'],
  setPermissionMode: ['works', '', 'setPermissionMode(): what was asked about before runs unasked after'],
  setMcpPermissionModeOverride: ['refused', '', refusedMethods],
  setModel: ['works', '', 'setModel(): the next request goes to the other model'],
  setMaxThinkingTokens: ['refused', '', refusedMethods],
  applyFlagSettings: ['refused', '', refusedMethods],
  updateSettings: ['refused', '', refusedMethods],
  initializationResult: ['works', '', fromInitialize],
  reinitialize: ['works', '', 'reinitialize() is answered again, with hooks, agents and servers of the host'],
  supportedCommands: ['works', '', fromInitialize],
  supportedModels: ['in part', 'the model of the session', fromInitialize],
  supportedAgents: ['works', '', 'supportedAgents() lists those of the options beside the built-in ones'],
  mcpServerStatus: ['works', '', served],
  getContextUsage: [
    'in part',
    '`categories` and totals; `gridRows`, `memoryFiles` and `mcpTools` are empty, `detail` changes nothing',
    'rewindFiles() puts files back to how they were at a prompt, getContextUsage() tells how full it is',
  ],
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: ['refused', '', refusedMethods],
  readFile: ['refused', 'the SDK gives `null` then', refusedMethods],
  reloadPlugins: ['refused', '', refusedMethods],
  reloadSkills: ['refused', '', refusedMethods],
  reloadOutputStyles: ['refused', '', refusedMethods],
  accountInfo: ['in part', 'empty: there are no accounts', fromInitialize],
  rewindFiles: [
    'works',
    '',
    'rewindFiles() puts files back to how they were at a prompt, getContextUsage() tells how full it is',
  ],
  seedReadState: ['refused', '', refusedMethods],
  reconnectMcpServer: ['works', '', served],
  toggleMcpServer: ['works', '', served],
  readMcpResource: ['refused', '', refusedMethods],
  setMcpServers: ['works', '', served],
  streamInput: ['works', '', 'streamInput() sends more prompts'],
  stopTask: ['works', '', 'stopTask() ends a background agent; the task is told of from start to end'],
  backgroundTasks: ['works', '', 'backgroundTasks() lets the turn go on without its agent'],
  close: ['works', '', 'abortController and close() end the program'],
};

const prompt: Area = {
  type: ['works', '`user`', 'every prompt gets a result of its own'],
  message: ['in part', 'see the blocks below', files],
  parent_tool_use_id: ['refused', 'unless null', foreignFields],
  isSynthetic: ['in part', 'a prompt like any other', describing],
  tool_use_result: ['refused', '', foreignFields],
  priority: [
    'works',
    '',
    'priority: next joins the run in progress at its next turn, later waits for a run of its own',
  ],
  origin: ['in part', 'a prompt like any other', describing],
  shouldQuery: [
    'works',
    '',
    'shouldQuery: false adds to the conversation and starts no turn; the next prompt reads it',
  ],
  timestamp: ['in part', 'the time of arrival is stored', describing],
  client_composed: [
    'works',
    '',
    'client_composed: a prompt is sent as it is written, without commands and files that it names',
  ],
  uuid: [
    'works',
    '',
    'rewindFiles() puts files back to how they were at a prompt, getContextUsage() tells how full it is',
  ],
  pasted_content: [
    'works',
    'text only; anything else in it is refused',
    'pasted_content comes after the typed text; what is not text in it is refused by name',
  ],
  inline_pastes: [
    'works',
    'the text stays where it is',
    'pasted_content comes after the typed text; what is not text in it is refused by name',
  ],
  session_id: ['in part', 'not compared: there is one session', describing],
  agent_id: ['refused', '', foreignFields],
  subagent_type: ['refused', '', foreignFields],
  task_description: ['refused', '', foreignFields],
};

const initialize: Area = {
  subtype: [
    'works',
    '',
    'initialize is answered with its required fields; a prompt sent right behind it is not lost',
  ],
  hooks: [
    'in part',
    'as the option; `hooks_applied` in the answer',
    'initialize says which hooks and which handshakes of servers it took',
  ],
  mcpServers: [
    'works',
    'as one value of `--mcp-config`; `mcp_servers_applied` in the answer',
    'servers go to the program by flag and by mcpServersDelivery initialize',
  ],
  sdkMcpServers: [
    'works',
    '',
    "the host's own MCP servers are spoken to over the wire, and their tools are there",
  ],
  sdkMcpServerConfigs: [
    'works',
    '`timeout` from 1000 ms, not extended by progress; `tools`: [policies](mcp.md)',
    'always_deny of an in-process server holds, whatever rule or mode allows the tool',
  ],
  sdkMcpServerManifests: [
    'in part',
    'servers are asked themselves; the answer says `not_honoured`',
    'initialize says which hooks and which handshakes of servers it took',
  ],
  sdkMcpServerManifestsOrigin: ['in part', 'as `sdkMcpServerManifests`', able],
  jsonSchema: ['works', '', 'outputFormat: the answer has the shape of the schema'],
  systemPrompt: [
    'works',
    'an empty one leaves an agent its own',
    'an agent keeps its prompt when the host sends an empty system prompt',
  ],
  appendSystemPrompt: ['works', '', 'systemPrompt: text, blocks, preset and append'],
  systemPromptSnapshot: ['in part', 'a prompt is rendered once for each start', able],
  planModeInstructions: [
    'works',
    '',
    'planModeInstructions replace the phases of plan mode, and nothing else of it',
  ],
  toolAliases: ['refused', '', refusedFields],
  excludeDynamicSections: ['refused', '`true`', refusedFields],
  agents: ['works', 'see the fields below', agentFields],
  title: ['works', '', 'title names the session'],
  skills: [
    'works',
    'the only ones that the model is shown and may load',
    'a host chooses the skills that the model is shown: %j',
  ],
  promptSuggestions: ['refused', '`true`', refusedFields],
  agentProgressSummaries: ['refused', '`true`', refusedFields],
  forwardSubagentText: ['works', '', 'forwardSubagentText forwards what agents say'],
  supportedDialogKinds: ['in part', 'no dialog is ever sent', able],
  perTaskStopAffordance: ['in part', 'an interrupt spares background work for every host', able],
  plugins: ['in part', '`skipMcpDiscovery` is refused', 'plugins of initialize are loaded'],
};

const agent: Area = {
  description: ['works', '', agentFields],
  tools: ['works', '', agentFields],
  disallowedTools: ['works', '', agentFields],
  prompt: ['works', '', agentFields],
  model: ['works', '', agentFields],
  mcpServers: ['works', '', 'agents: every other field of a definition is read'],
  criticalSystemReminder_EXPERIMENTAL: ['refused', '', agentFields],
  skills: ['works', '', 'agents: every other field of a definition is read'],
  initialPrompt: ['works', '', 'agents: every other field of a definition is read'],
  maxTurns: ['works', '', 'agents: every other field of a definition is read'],
  autoCompactWindow: ['works', '', 'agents: every other field of a definition is read'],
  background: ['works', '', 'agents: every other field of a definition is read'],
  omitClaudeMd: ['works', '', 'agents: every other field of a definition is read'],
  memory: ['works', '', 'agents: every other field of a definition is read'],
  effort: ['works', '', 'agents: every other field of a definition is read'],
  permissionMode: [
    'works',
    '[within limits](permissions.md)',
    'agents: every other field of a definition is read',
  ],
  observer: ['refused', '', agentFields],
  observerMessage: ['refused', '', agentFields],
};

const requests: Area = {
  interrupt: ['works', '', 'interrupt ends the turn and says what is still queued'],
  initialize: ['works', '', 'initialize may be repeated by a host that reconnects, and not changed'],
  set_permission_mode: [
    'works',
    '',
    'set_permission_mode and set_model answer, and refuse what there is not',
  ],
  set_model: ['works', '', 'set_model takes default for the model of the start'],
  set_max_thinking_tokens: ['refused', '', refusedRequests],
  rename_session: ['refused', '', refusedRequests],
  set_color: ['refused', '', refusedRequests],
  mcp_status: [
    'works',
    '',
    'mcp_status, mcp_set_servers, mcp_toggle and mcp_reconnect say and do what a host expects',
  ],
  get_context_usage: [
    'in part',
    'as `getContextUsage()`',
    'rewindFiles() puts files back to how they were at a prompt, getContextUsage() tells how full it is',
  ],
  get_session_cost: ['refused', '', refusedRequests],
  list_models: ['refused', '', refusedRequests],
  get_usage: ['refused', '', refusedRequests],
  get_binary_version: [
    'works',
    '',
    'cancel_async_message takes back a prompt that was not read; get_binary_version and set_has_subscribers are answered',
  ],
  mcp_call: ['refused', '', refusedRequests],
  file_suggestions: ['refused', '', refusedRequests],
  mcp_message: ['works', '', 'timeout of an in-process server ends a call, and progress does not extend it'],
  rewind_files: [
    'works',
    '',
    'rewind_files puts files back to how they were at a prompt; a dry run only says so',
  ],
  cancel_async_message: [
    'works',
    '',
    'cancel_async_message takes back a prompt that was not read; get_binary_version and set_has_subscribers are answered',
  ],
  read_file: ['refused', '', refusedRequests],
  seed_read_state: ['refused', '', refusedRequests],
  mcp_set_servers: ['works', '', 'mcp_set_servers replaces the servers of initialize, policies included'],
  register_repo_root: ['refused', '', refusedRequests],
  reload_plugins: ['refused', '', refusedRequests],
  reload_skills: ['refused', '', refusedRequests],
  reload_output_styles: ['refused', '', refusedRequests],
  mcp_reconnect: [
    'works',
    '',
    'mcp_status, mcp_set_servers, mcp_toggle and mcp_reconnect say and do what a host expects',
  ],
  mcp_toggle: [
    'works',
    '',
    'mcp_status, mcp_set_servers, mcp_toggle and mcp_reconnect say and do what a host expects',
  ],
  set_has_subscribers: [
    'works',
    'no line waits to be joined, so nothing changes',
    'cancel_async_message takes back a prompt that was not read; get_binary_version and set_has_subscribers are answered',
  ],
  stop_task: [
    'works',
    '',
    'stop_task ends a background agent, also by its name; the notification says stopped',
  ],
  background_tasks: [
    'works',
    '',
    'background_tasks lets the call go on without its agent, and says whether it did',
  ],
  get_task_output: ['works', '', 'get_task_output gives what an agent has said so far'],
  apply_flag_settings: ['refused', '', refusedRequests],
  get_settings: ['refused', '', refusedRequests],
  get_hooks_listing: ['refused', '', refusedRequests],
  update_settings: ['refused', '', refusedRequests],
  list_permission_rules: ['refused', '', refusedRequests],
  mcp_read_resource: ['refused', '', refusedRequests],
};

const text = 'a document that is text reaches every model as text, labelled and escaped';

const blocks: Area = {
  text: ['in part', '`citations` and `cache_control` are left out', files],
  'image base64': ['works', '', files],
  'image url': ['works', 'where the model takes it', files],
  'image file': ['refused', '', refusedBlocks],
  'document base64': ['works', 'a PDF, where the model takes it', files],
  'document text': ['works', 'as text', text],
  'document content': ['works', 'as text and images', text],
  'document url': ['works', 'a PDF, where the model takes it', files],
  'document file': ['refused', '', refusedBlocks],
  search_result: ['refused', '', refusedBlocks],
  thinking: ['refused', '', refusedBlocks],
  redacted_thinking: ['refused', '', refusedBlocks],
  tool_use: ['refused', '', refusedBlocks],
  tool_result: ['refused', '', refusedBlocks],
  server_tool_use: ['refused', '', refusedBlocks],
  web_search_tool_result: ['refused', '', refusedBlocks],
  web_fetch_tool_result: ['refused', '', refusedBlocks],
  code_execution_tool_result: ['refused', '', refusedBlocks],
  bash_code_execution_tool_result: ['refused', '', refusedBlocks],
  text_editor_code_execution_tool_result: ['refused', '', refusedBlocks],
  tool_search_tool_result: ['refused', '', refusedBlocks],
  container_upload: ['refused', '', refusedBlocks],
};

export const sdkRows = { functions, options, methods, prompt, initialize, agent, requests, blocks };
