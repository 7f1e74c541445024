import { Argument, Command } from 'commander';
import { nearNames } from '../lib/near-names.ts';
import { version } from '../lib/version.ts';
import type { AgentsFlags } from './agents.ts';
import type { AuditFlags } from './audit.ts';
import type { CompletedShell } from './completions.ts';
import type { DemoFlags } from './demo/start.ts';
import type { DoctorFlags } from './doctor.ts';
import type { DreamFlags } from './dream.ts';
import type { Flags } from './flags.ts';
import type { HooksFlags } from './hooks.ts';
import { addMcpCommands, type McpActions } from './mcp-program.ts';
import { addOptions } from './program-options.ts';
import { addSessionCommands, type SessionActions } from './session-command.ts';
import type { SkillsFlags } from './skills.ts';
import type { TasksAction, TasksFlags } from './tasks/tasks.ts';
import type { TrustFlags } from './trust.ts';
import type { WhyFlags } from './why.ts';
import { addWorktreeCommands, type ManageWorktrees } from './worktree-command.ts';

export interface Actions extends McpActions, SessionActions {
  main(prompt: string | undefined, flags: Flags): Promise<number>;
  demo(flags: DemoFlags): Promise<number>;
  agents(action: string | undefined, name: string | undefined, flags: AgentsFlags): Promise<number>;
  skills(kind: 'skill' | 'command', flags: SkillsFlags): Promise<number>;
  dream(action: string | undefined, id: string | undefined, flags: DreamFlags): Promise<number>;
  hooks(flags: HooksFlags): Promise<number>;
  why(call: string | undefined, flags: WhyFlags): Promise<number>;
  doctor(flags: DoctorFlags): Promise<number>;
  trust(directory: string | undefined, flags: TrustFlags): Promise<number>;
  key(action: 'set' | 'list' | 'remove', provider?: string): Promise<number>;
  cost(session: string | undefined, flags: { json?: boolean }): Promise<number>;
  tasks(action: TasksAction, id: string, flags: TasksFlags): Promise<number>;
  audit(flags: AuditFlags): Promise<number>;
  worktree: ManageWorktrees;
  setup(): Promise<number>;
  completions(shell: CompletedShell, program: Command): Promise<number>;
  models(flags: { json?: boolean; all?: boolean }): Promise<number>;
  providers(
    action: 'add' | 'list' | 'remove',
    subject: string | undefined,
    flags: { name?: string; keyVariable?: string; json?: boolean },
  ): Promise<number>;
}

/** The whole command line, as data for commander. `finished` receives the exit code. */
export function buildProgram(
  actions: Actions,
  finished: (code: number) => void,
  argv: readonly string[],
): Command {
  const program = new Command('cadre')
    .description('A coding agent for your terminal and your programs.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .argument('[prompt]', 'what the agent should do')
    .enablePositionalOptions()
    .allowExcessArguments(false)
    .addHelpText('after', examples);
  addOptions(program);
  program.action(async (prompt: string | undefined, flags: Flags) => {
    if (prompt === 'help' && !argv.includes('--') && !asksForAnswer(argv)) program.help();
    const meant = argv.includes('--') ? undefined : findMeantCommand(prompt ?? '', program);
    if (meant !== undefined)
      program.error(
        `error: "${prompt}" is not a command. Did you mean "cadre ${meant}"?\nTo send it as a prompt: cadre -- ${prompt}`,
        { exitCode: 2 },
      );
    finished(await actions.main(prompt, flags));
  });
  // After -p every word is a prompt, also one that is the name of a command.
  if (!asksForAnswer(argv)) addCommands(program, actions, finished);
  return program;
}

/** The command that a single mistyped word was meant to be. Too many short words are one letter away from one. */
function findMeantCommand(prompt: string, program: Command): string | undefined {
  if (!/^[a-z]{4,}$/i.test(prompt)) return undefined;
  const names = program.commands.map((command) => command.name());
  return nearNames(prompt, names).find((name) => prompt.length > 4 || name === `${prompt}s`);
}

function asksForAnswer(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  return flags.includes('-p') || flags.includes('--print');
}

function addCommands(program: Command, actions: Actions, finished: (code: number) => void): void {
  program
    .command('demo')
    .description('watch a coordinator and its workers mend a program; needs git, no key and no network')
    .option('--keep', 'leave the sample repository for a look')
    .option('--plain', 'as text, with every question answered; so it is without a terminal, too')
    .action(async (flags) => finished(await actions.demo(flags)));
  program
    .command('setup')
    .description('choose a model: a key, a server on this machine, or the demo')
    .action(async () => finished(await actions.setup()));
  program
    .command('completions')
    .description('print what bash, zsh or fish needs to complete this command line')
    .addArgument(new Argument('<shell>', 'whose script it is to be').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: CompletedShell) => finished(await actions.completions(shell, program)));
  addSessionCommands(program, actions, finished);
  const repeat = (text: string, before: string[] | undefined) => [...(before ?? []), text];
  program
    .command('agents [action] [name]')
    .description('list the agents there are and what is wrong with others; agents show NAME explains one')
    .option('--agents <json-or-file>', 'definitions on top of the files')
    .option('--plugin-dir <directory>', 'a plugin, for its agents (repeatable)', repeat)
    .option('--add-dir <directory>', 'another directory whose agents count (repeatable)', repeat)
    .option('--json', 'as JSON')
    .action(async (action: string | undefined, name: string | undefined, flags) =>
      finished(await actions.agents(action, name, flags)),
    );
  addKnowledgeCommands(program, actions, finished);
  program
    .command('hooks')
    .description('list the hooks there are, where they come from, and what is wrong with others')
    .option('--plugin-dir <directory>', 'a plugin, for its hooks (repeatable)', repeat)
    .option('--settings <file-or-json>', 'settings on top of the files')
    .option('--trust', "with this repository's own in force")
    .option('--json', 'as JSON')
    .action(async (flags) => finished(await actions.hooks(flags)));
  program
    .command('why [call]')
    .description("explain what a tool call would meet: cadre why 'Bash(git log | tee x)'")
    .option('--agent <name>', 'as this type of agent: Explore, Plan, general-purpose or worker')
    .option('--mode <mode>', 'in this permission mode')
    .option('--trust', "with this repository's own settings in force")
    .option('--sandbox', 'as if shell commands were confined')
    .option('--json', 'as JSON')
    .option('--batch', 'read calls from standard input, one JSON object a line, and answer each with a line')
    .action(async (call: string | undefined, flags) => finished(await actions.why(call, flags)));
  program
    .command('doctor')
    .description('say what protects you here and what does not, and whether all is there that a run needs')
    .option('--fix', 'end what dead sessions left running')
    .option('--json', 'as JSON')
    .action(async (flags) => finished(await actions.doctor(flags)));
  program
    .command('trust [directory]')
    .description("show what a repository's own files would bring into force, and ask whether they may")
    .option('--yes', 'trust what is there, without a question')
    .option('--list', 'show what is trusted, in every repository')
    .option('--revoke', 'forget all trust in this repository')
    .option('--json', 'as JSON, without a question')
    .addHelpText('after', trustHelp)
    .action(async (directory: string | undefined, flags) => finished(await actions.trust(directory, flags)));
  program
    .command('cost [session]')
    .description('what a session cost, by agent and model; the latest of this directory unless named')
    .option('--json', 'as JSON')
    .action(async (session: string | undefined, flags) => finished(await actions.cost(session, flags)));
  addTaskCommands(program, actions, finished);
  addWorktreeCommands(program, actions.worktree, finished);
  program
    .command('audit')
    .description('what was asked, answered, refused and granted')
    .option('--session <id>', 'of one session')
    .option('--last <count>', 'how many entries; 50 unless said otherwise')
    .option('--json', 'as JSON, one object a line')
    .action(async (flags) => finished(await actions.audit(flags)));
  program
    .command('models')
    .description('list providers, local servers and their models')
    .option('--all', 'long lists in full')
    .option('--json', 'as JSON')
    .action(async (flags) => finished(await actions.models(flags)));
  addProviderCommands(program, actions, finished);
  addMcpCommands(program, actions, finished);
  const key = program.command('key').description("keep a provider's API key, readable by you alone");
  key
    .command('set <provider>')
    .description('store a key, read from standard input: anthropic, openai, google …')
    .action(async (provider: string) => finished(await actions.key('set', provider)));
  key
    .command('list')
    .description('show which providers have a key, never the key')
    .action(async () => finished(await actions.key('list')));
  key
    .command('remove <provider>')
    .description('forget a key')
    .action(async (provider: string) => finished(await actions.key('remove', provider)));
}

function addKnowledgeCommands(program: Command, actions: Actions, finished: (code: number) => void): void {
  const repeat = (text: string, before: string[] | undefined) => [...(before ?? []), text];
  for (const kind of ['skill', 'command'] as const)
    program
      .command(`${kind}s`)
      .description(
        kind === 'skill'
          ? 'list the skills there are, and what is wrong with others'
          : 'list what can be typed behind a slash',
      )
      .option('--plugin-dir <directory>', 'a plugin, for what it holds (repeatable)', repeat)
      .option('--add-dir <directory>', 'another directory whose files count (repeatable)', repeat)
      .option('--json', 'as JSON')
      .action(async (flags) => finished(await actions.skills(kind, flags)));
  program
    .command('dream [action] [id]')
    .description('go over past sessions for better notes: dream run, list, show ID, accept ID, reject ID')
    .option('--about <text>', 'what to look for')
    .option('--model <name>', 'the model that looks')
    .option('--json', 'as JSON')
    .action(async (action: string | undefined, id: string | undefined, flags) =>
      finished(await actions.dream(action, id, flags)),
    );
}

function addTaskCommands(program: Command, actions: Actions, finished: (code: number) => void): void {
  const tasks = program
    .command('tasks')
    .description('background work of the latest session of this directory: agents and commands');
  const add = (name: TasksAction, synopsis: string, description: string) =>
    tasks
      .command(synopsis, { isDefault: name === 'list' })
      .description(description)
      .option('--session <id>', 'of this session, whatever its directory')
      .option('--json', 'as JSON');
  add('list', 'list', 'show what there is, with state and age')
    .option('--all', 'of every session of this directory')
    .action(async (flags) => finished(await actions.tasks('list', '', flags)));
  add('show', 'show <id>', 'everything about one; also by the name of an agent').action(
    async (id: string, flags) => finished(await actions.tasks('show', id, flags)),
  );
  add('output', 'output <id>', 'print what it has written')
    .option('--full', 'all of it, however long')
    .action(async (id: string, flags) => finished(await actions.tasks('output', id, flags)));
  add('stop', 'stop <id>', 'end it, also where another process runs it').action(async (id: string, flags) =>
    finished(await actions.tasks('stop', id, flags)),
  );
}

const trustHelp = `
Until then only what narrows counts: deny and ask rules, plan mode. Trust is bound to
the content: a file that changes is asked about again, the others stay trusted. It
holds in every later session here, also with -p. cadre --trust trusts everything, for
one run, and stores nothing.
`;

function addProviderCommands(program: Command, actions: Actions, finished: (code: number) => void): void {
  const providers = program.command('providers').description('AI SDK packages as further providers');
  providers
    .command('add <package>')
    .description('install one: @ai-sdk/mistral[@version], or a directory')
    .option('--name <name>', "another name than the package's")
    .option('--key-variable <variable>', 'where its key is looked for; none when it needs none')
    .action(async (name: string, flags) => finished(await actions.providers('add', name, flags)));
  providers
    .command('list')
    .description('show what was added')
    .option('--json', 'as JSON')
    .action(async (flags) => finished(await actions.providers('list', undefined, flags)));
  providers
    .command('remove <name>')
    .description('remove one')
    .action(async (name: string) => finished(await actions.providers('remove', name, {})));
}

const examples = `
Examples:
  cadre
  cadre -p "why does the build fail?"
  cadre -p "mend the failing test" --permission-mode acceptEdits --allowedTools "Bash(npm test)"
  git diff | cadre -p "review this" --output-format json
  cadre -p -c "and now the docs"
  cadre demo

Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; a local server needs none: --model ollama/qwen3-coder`;
