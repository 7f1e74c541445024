import { addDir, agents, json, permissionMode, pluginDir, settings, trust } from './common-flags.ts';
import {
  count,
  either,
  type FlagTable,
  type FlagValues,
  text,
  toggle,
  usualChoice,
  type ValueKind,
} from './flag.ts';
import { handoffCommands } from './handoff-commands.ts';
import { trustHelp } from './help.ts';
import { mcpCommands } from './mcp-commands.ts';
import { recordCommands } from './record-commands.ts';
import { teamCommands } from './team-commands.ts';
import { workerCommands } from './worker-commands.ts';
import { workflowCommands } from './workflow-commands.ts';
import { worktreeCommands } from './worktree-commands.ts';

/** One command. Its key in the table is the words that people type. */
export interface CommandDeclaration {
  about: string;
  /** Arguments, as commander writes them: `<needed> [optional] [rest...]`. */
  takes?: string;
  /** The only allowed words for the first argument. */
  choices?: readonly string[];
  /** Usual words for the first argument, for completions. */
  offers?: readonly string[];
  /** What completions offer for each argument; the last one also for those after it if the last argument takes several. */
  completes?: readonly (ValueKind | undefined)[];
  flags?: FlagTable;
  alias?: string;
  /** The command its group runs by default. */
  isDefault?: true;
  /** It only holds other commands. */
  isGroup?: true;
  /** Shown below its help. */
  help?: string;
}

const engine = text('address', 'of the workers: redis://… or postgres://…; CADRE_ENGINE otherwise');
const taskFlags = {
  session: text('id', 'use this session, in any directory', { completes: 'session' }),
  json,
};
const skillFlags = {
  pluginDir: pluginDir('include a plugin'),
  addDir: addDir('include the files of another directory'),
  json,
};

/**
 * Every command. The program, its types, help, completions and docs/cli.md come from here: a new flag is one entry, a
 * new command one entry and the function that `run.ts` names for it.
 */
export const commandTable = {
  setup: { about: 'choose a model: with a key, on this machine, or the demo' },
  demo: {
    about:
      'watch a coordinator with workers (coordinator) or a team (teams) fix a program, or a workflow review it (workflow); needs git, but no key and no network',
    takes: '[story]',
    choices: ['coordinator', 'teams', 'workflow'],
    flags: {
      keep: toggle('keep the sample repository'),
      plain: toggle(
        'print plain text and answer every question automatically; the default without a terminal',
      ),
    },
  },
  doctor: {
    about: 'check that this machine is ready to run, and show what protects you here',
    flags: { fix: toggle('stop processes that crashed sessions left running'), json },
  },
  models: {
    about: 'list providers, local servers and their models',
    flags: { all: toggle('show long lists in full'), json },
  },
  key: { about: 'manage stored API keys, which only you can read', isGroup: true },
  'key set': {
    about: 'store a key, read from stdin',
    takes: '<provider>',
    completes: ['provider'],
  },
  'key list': { about: 'list the providers that have a key, without the keys' },
  'key remove': { about: 'delete a key', takes: '<provider>', completes: ['provider'] },
  providers: { about: 'manage AI SDK packages as additional providers', isGroup: true },
  'providers add': {
    about: 'install a package: @ai-sdk/mistral[@version], or a directory',
    takes: '<package>',
    completes: ['directory'],
    flags: {
      name: text('name', "provider name, if not the package's own"),
      keyVariable: text('variable', 'environment variable for its key, or none if it needs no key'),
    },
  },
  'providers list': { about: 'list the packages that were added', flags: { json } },
  'providers remove': { about: 'remove a package', takes: '<name>', completes: ['provider'] },
  sessions: {
    about: 'list the sessions of this directory',
    flags: { all: toggle('list sessions of every directory'), json },
  },
  attach: {
    about: 'look at a running session, answer and steer it; leaving it stops nothing',
    takes: '[session]',
    completes: ['session'],
    flags: {
      outputFormat: usualChoice(
        'format',
        ['text', 'stream-json'],
        'what is printed, and read, without a terminal',
      ),
      includePartialMessages: toggle('stream-json: also pieces of answers'),
      engine,
    },
  },
  move: {
    about: 'move a session with its agents and files to a worker, or back to this machine',
    takes: '<session>',
    completes: ['session'],
    flags: {
      to: text('worker', 'the name or the label of a worker; here brings it back'),
      engine,
    },
  },
  'sessions rewind': {
    about: "list a session's prompts, or rewind to one: conversation and files",
    takes: '<session>',
    completes: ['session'],
    flags: {
      to: text('point', 'number in the list, or the uuid of a prompt or rewind'),
      files: toggle('only the files'),
      conversation: toggle('only the conversation'),
      dryRun: toggle('show what would change, and change nothing'),
      force: toggle('also restore files that another program changed since; a copy of each is kept'),
      addDir: addDir('also restore files in this directory'),
      verbose: toggle('name every file'),
      json,
    },
  },
  ...recordCommands,
  cost: {
    about: "show a session's cost by agent and model; the latest session of this directory by default",
    takes: '[session]',
    completes: ['session'],
    flags: { json },
  },
  tasks: {
    about: 'show and stop background agents and commands of the latest session of this directory',
    isGroup: true,
  },
  'tasks list': {
    about: 'list tasks with their state and age',
    isDefault: true,
    flags: { ...taskFlags, all: toggle('include every session of this directory') },
  },
  'tasks show': {
    about: 'show one task, by its id or the name of its agent',
    takes: '<id>',
    completes: ['task'],
    flags: taskFlags,
  },
  'tasks output': {
    about: 'print the output of a task',
    takes: '<id>',
    completes: ['task'],
    flags: { ...taskFlags, full: toggle('print all of it, whatever its length') },
  },
  'tasks follow': {
    about: 'print task updates of an open session or of one task until it ends',
    takes: '[id]',
    completes: ['task'],
    flags: taskFlags,
  },
  'tasks stop': {
    about: 'stop a task, including one of another process',
    takes: '<id>',
    completes: ['task'],
    flags: taskFlags,
  },
  ...teamCommands,
  ...handoffCommands,
  ...workflowCommands,
  ...workerCommands,
  agents: {
    about: 'list agent types and broken agent files; agents show NAME explains one',
    takes: '[action] [name]',
    completes: [undefined, 'agent'],
    offers: ['list', 'show'],
    flags: {
      agents: agents('more agents, in addition to the files'),
      pluginDir: pluginDir('include the agents of a plugin'),
      addDir: addDir('include the agents of another directory'),
      json,
    },
  },
  skills: { about: 'list skills and broken skill files', flags: skillFlags },
  commands: { about: 'list slash commands', flags: skillFlags },
  hooks: {
    about: 'list hooks, where they come from, and broken ones',
    flags: {
      pluginDir: pluginDir('include the hooks of a plugin'),
      settings: settings('more settings, which override the files'),
      trust: trust("include this repository's own hooks as if trusted"),
      json,
    },
  },
  dream: {
    about: 'review past sessions and propose better notes: dream run, list, show ID, accept ID, reject ID',
    takes: '[action] [id]',
    completes: [undefined, 'proposal'],
    offers: ['run', 'list', 'show', 'accept', 'reject'],
    flags: {
      about: text('text', 'what to look for'),
      model: text('name', 'model to use', { completes: 'model' }),
      json,
    },
  },
  ...mcpCommands,
  why: {
    about: "explain whether a tool call would run, ask or be denied: cadre why 'Bash(git log | tee x)'",
    takes: '[call]',
    flags: {
      agent: text('name', 'judge as this agent type: Explore, Plan, general-purpose or worker', {
        completes: 'agent',
      }),
      mode: permissionMode('judge in this permission mode'),
      trust: trust("apply this repository's own settings"),
      sandbox: either(
        'judge as if the sandbox were on; by default, as in a session in this directory',
        'judge as if the sandbox were off',
      ),
      json,
      batch: toggle('read calls from stdin, one JSON object per line, and answer each with one line'),
    },
  },
  trust: {
    about: "show what a repository's own files would change, and ask whether to trust them",
    takes: '[directory]',
    completes: ['directory'],
    help: trustHelp,
    flags: {
      yes: toggle('trust the files as they are, without asking'),
      list: toggle('list everything that is trusted, in every repository'),
      revoke: toggle('revoke all trust in this repository'),
      json: toggle('print JSON, without asking'),
    },
  },
  audit: {
    about: 'list permission questions, answers, refusals and grants',
    flags: {
      session: text('id', 'show only this session', { completes: 'session' }),
      last: count('count', 'how many entries; 50 by default'),
      json: toggle('print JSON, one object per line'),
    },
  },
  ...worktreeCommands,
  completions: {
    about: 'print a completion script for bash, zsh or fish',
    takes: '<shell>',
    choices: ['bash', 'zsh', 'fish'],
  },
  man: {
    about: 'print a manual page about a command or a topic, in the format of man',
    takes: '[page]',
    completes: ['page'],
    flags: {
      write: text('directory', 'write all pages below this directory instead', { completes: 'directory' }),
    },
  },
} as const satisfies Readonly<Record<string, CommandDeclaration>>;

export type CommandPath = keyof typeof commandTable;

/** The values of a command's flags. */
export type FlagsOf<Path extends CommandPath> = (typeof commandTable)[Path] extends { flags: infer Flags }
  ? FlagValues<Flags>
  : object;

export interface ListedCommand {
  path: string;
  words: string[];
  entry: CommandDeclaration & { flags: FlagTable };
}

/** Every command with its words, groups before their members. */
export function listCommands(): ListedCommand[] {
  return Object.entries<CommandDeclaration>(commandTable).map(([path, entry]) => ({
    path,
    words: path.split(' '),
    entry: { ...entry, flags: entry.flags ?? {} },
  }));
}
