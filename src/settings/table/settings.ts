import { form } from '../../lib/form/form.ts';
import { parseDuration } from '../../lib/text/duration.ts';
import { teammateModes } from '../../protocol/team.ts';
import { agents } from './agents.ts';
import {
  amount,
  choice,
  commandOrFalse,
  count,
  countOrNone,
  duration,
  flag,
  name,
  ownVariable,
  switches,
  text,
  turns,
  variable,
  variableName,
} from './checks.ts';
import { hookSettings } from './hooks.ts';
import { mcpSettings } from './mcp.ts';
import { custom, guarded, highest, list, map, section, single, whole } from './merging.ts';
import { permissions, resolveDirectory } from './permissions.ts';
import { sandbox } from './sandbox.ts';
import type { Check, MergedTable, WrittenTable } from './setting.ts';

/** USD per million tokens. */
export interface ModelPricing {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

const price: Check<ModelPricing> = () =>
  form.object({
    input: form.number().min(0),
    output: form.number().min(0),
    cacheRead: form.number().min(0).optional(),
    cacheWrite: form.number().min(0).optional(),
  });

export const dream = whole(
  {
    enabled: single(flag, {
      about: '`true`: idle sessions review past work and propose better notes',
      usual: false,
    }),
    idleMinutes: single(() => form.number().positive().max(1_440), {
      about: 'minutes without activity before a dream starts',
      usual: 10,
    }),
    maxTokens: single(count, { about: 'tokens that one dream may use', usual: 60_000 }),
    model: single(name, { about: 'the model used for dreams', otherwise: "the session's model" }),
  },
  { about: '[dreams](memory.md#dreams): `true`, or an object with these keys', otherwise: '`false`' },
);

/** The user's own terminal: a repository never says how it is driven. */
const neverOfRepository = { repository: { refuses: () => true } };
const teammateVerb = (about: string) => single(name, { about, ...neverOfRepository });

const teammateCommand = {
  ...whole(
    {
      open: teammateVerb('opens a pane that runs `"$@"`, and prints its id'),
      title: teammateVerb('sets the title of pane `$1` to `$2`'),
      send: teammateVerb('types `$2` and Enter in pane `$1`'),
      list: teammateVerb('prints the ids of all panes, one a line'),
      close: teammateVerb('closes pane `$1`'),
    },
    { about: 'shell commands that drive [any terminal](teams.md#any-terminal): an object with these keys' },
  ),
  ...neverOfRepository,
};

const terminal = whole(
  {
    animation: single(flag, {
      about: '`false`: no spinners or running timers; the screen is redrawn only when something happens',
      usual: true,
      variables: turns(false, 'CADRE_STILL'),
    }),
    notify: single(choice('auto', 'bell', 'osc9', 'osc99', 'osc777', 'off'), {
      about:
        'how the terminal notifies you when an answer is needed or work is done; `auto`: as it is known to support, or by a bell',
      usual: 'auto',
    }),
    title: single(flag, {
      about: '`false`: the title of the window stays as it is, instead of showing the state',
      usual: true,
    }),
    theme: single(choice('auto', 'dark', 'light'), {
      about: 'colours; `auto` queries the terminal, or reads `COLORFGBG`',
      usual: 'auto',
    }),
    screenReader: single(flag, {
      about: 'plain lines, no animation',
      usual: false,
      flag: '--screen-reader',
      variables: turns(true, 'CADRE_SCREEN_READER'),
    }),
  },
  { about: 'the [terminal app](terminal.md#every-terminal): an object with these keys' },
);

/**
 * Every setting that Cadre uses. Types, checks, defaults, merging, trust, environment variables and the table in
 * docs/settings.md all come from here: a new setting is one entry.
 */
export const settingsTable = {
  model: single(name, {
    about: 'the model; [names](models.md#names)',
    otherwise: '`sonnet`; none where only an OpenAI-compatible server is configured',
    flag: '--model',
    variables: { names: ['ANTHROPIC_MODEL'], read: (given) => given },
  }),
  fallbackModel: single(name, {
    about: 'the model to use when the main model stays rate-limited; [pacing](limits.md#pacing)',
    flag: '--fallback-model',
  }),
  wait: single(duration, {
    about:
      'how long a run stays [suspended](limits.md#suspended) by a limit that resets later: `90m`, `6h`; `0`: ten minutes at most',
    otherwise: '`6h`; with `-p` `0`',
    flag: '--wait',
    variables: {
      names: ['CADRE_WAIT'],
      read: (given) => (parseDuration(given) === undefined ? undefined : given),
      expected: 'a duration, such as 90m or 6h; the value is ignored',
    },
  }),
  modelAliases: map(text, {
    about:
      'your own names for models; `ANTHROPIC_DEFAULT_OPUS_MODEL`, `…_SONNET_…` and `…_HAIKU_…` name three',
    otherwise: 'the newest of each family',
  }),
  modelPricing: map(price, {
    about:
      'prices in dollars per million tokens by `provider/id`: `input`, `output`, `cacheRead`, `cacheWrite`',
    otherwise: 'a built-in table',
  }),
  maxTurns: single(count, {
    about:
      'model calls of the main agent in one run: a prompt begins one, and so does a result that wakes it',
    otherwise: 'no limit',
    flag: '--max-turns',
  }),
  maxBudgetUsd: single(amount, {
    about: 'dollars that a session with all its agents may cost; [budget](limits.md#budget)',
    otherwise: 'no limit',
    flag: '--max-budget-usd',
  }),
  maxTokens: single(count, {
    about: 'tokens that a session with all its agents may use',
    otherwise: 'no limit',
    flag: '--max-tokens',
  }),
  autoCompactEnabled: single(flag, {
    about: '`false`: long conversations are never [compacted](limits.md#compaction) automatically',
    usual: true,
  }),
  autoCompactWindow: single(count, {
    about: "tokens at which a conversation is compacted, at most the model's window",
    otherwise: "near the model's window",
  }),
  sandbox,
  permissions,
  autoMode: section({
    model: single(name, {
      about: 'the model that judges in [`auto` mode](approvals.md#auto-mode)',
      otherwise: 'none: `auto` asks the same questions as `default`',
      // The user chooses the model that judges on their behalf.
      repository: { refuses: () => true },
    }),
  }),
  env: map(
    variable,
    { about: 'variables for commands, and for finding the provider: keys, base URLs, proxies' },
    ownVariable,
  ),
  environment: section({
    allow: list(variableName, {
      about: 'more variables that commands receive, by name or with `*`; [the rest is withheld](secrets.md)',
      otherwise: 'the [usual ones](secrets.md#variables-of-commands)',
    }),
  }),
  agents,
  remote: guarded({
    engine: single(name, {
      about: 'where [remote agents](remote.md) are sent: `redis://…`, `rediss://…` or `postgres://…`',
      otherwise: 'none: all agents run on this machine',
      flag: '--engine',
      variables: { names: ['CADRE_ENGINE'], read: (given) => given },
      ...neverOfRepository,
    }),
    agents: single(flag, {
      about: '`true`: agents run on workers unless a call or a definition says where',
      usual: false,
      flag: '--remote',
      ...neverOfRepository,
    }),
    label: single(name, {
      about: 'workers with this label take the agents that name none',
      usual: 'default',
      ...neverOfRepository,
    }),
    budgetShare: single(() => form.number().positive().max(1), {
      about:
        'part of what is left of a budget that is reserved for a remote agent without a limit of its own ([budget](remote.md#budget))',
      usual: 0.25,
      ...neverOfRepository,
    }),
  }),
  teammateMode: single(choice(...teammateModes), {
    about: 'where [teammates](teams.md#panes) run',
    usual: 'auto',
    flag: '--teammate-mode',
  }),
  teams: guarded({
    shutdownSeconds: single(count, {
      about:
        'seconds that a teammate may take to finish after it was asked to [shut down](teams.md#shutdown)',
      usual: 60,
    }),
    planApproval: single(choice('leader', 'user'), {
      about:
        'who approves the [plans](teams.md#plans-and-questions) of teammates in the session of their leader',
      usual: 'leader',
    }),
  }),
  workflows: guarded({
    maxConcurrent: single(count, {
      about: 'agents of one [workflow](workflows.md) that run at the same time',
      usual: 8,
    }),
    maxCalls: single(count, { about: 'calls of agents that one run of a workflow may make', usual: 1_000 }),
    askAboveAgents: single(count, {
      about: 'a workflow that would start more agents than this asks [once](workflows.md#forecast)',
      usual: 50,
    }),
  }),
  teammateCommand: custom(teammateCommand.check, teammateCommand.merging, teammateCommand),
  coordinator: single(flag, {
    about: '`true`: the main agent only directs [workers](coordinator.md)',
    usual: false,
    flag: '--coordinator',
    variables: switches('CADRE_COORDINATOR_MODE', 'CLAUDE_CODE_COORDINATOR_MODE'),
  }),
  scratchpad: single(flag, {
    about: '`false`: workers of a coordinator share no directory',
    usual: true,
    variables: switches('CADRE_SCRATCHPAD'),
  }),
  worktree: section({
    baseRef: single(name, {
      about:
        '[worktrees](worktrees.md) start at `head`, `fresh` (the default branch of `origin`, as last fetched) or a ref',
      usual: 'head',
    }),
    uncommitted: single(flag, { about: 'worktrees also start with uncommitted changes', usual: false }),
    copyDirectories: list(text, { about: 'ignored directories, by name, that are copied into a worktree' }),
    symlinkDirectories: list(text, {
      about: 'ignored directories, by name, that are linked into a worktree',
      otherwise: 'always `node_modules`, `.venv`, `venv`, `bower_components`, `.bundle`',
    }),
    gate: single(name, {
      about:
        'a shell command that must succeed before work lands; scripts that it names are protected from agents',
    }),
    setup: single(name, { about: 'a shell command that prepares each new worktree, for at most 10 minutes' }),
  }),
  checks: section({
    types: projectCheck('type check'),
    lint: projectCheck('linter'),
    tests: projectCheck('tests'),
    security: projectCheck('security check'),
  }),
  ...mcpSettings,
  ...hookSettings,
  bashOutputMaxChars: single(count, {
    about: "characters of a command's output that the model sees",
    usual: 30_000,
  }),
  claudeMdExcludes: list(text, { about: 'memory files to ignore' }),
  plansDirectory: custom(name, highest(resolveDirectory), {
    about:
      'where [plans](coordinator.md#plan-mode) are written; a path as in `permissions.additionalDirectories`',
    otherwise: '`plans/` in `CADRE_HOME`',
  }),
  cleanupPeriodDays: single(countOrNone, {
    about: 'days that sessions and workflow runs are [kept](sessions.md#retention)',
    usual: 30,
  }),
  cleanupMaxMegabytes: single(count, {
    about:
      'size of `~/.cadre` above which the longest unused sessions are [removed](durability.md#the-size-of-cadre)',
    usual: 5_000,
    repository: { refuses: () => true },
  }),
  dream: custom(
    () =>
      form
        .union([form.boolean(), dream.check()])
        .transform((given) => (typeof given === 'boolean' ? { enabled: given } : given)),
    dream.merging,
    dream,
  ),
  terminal,
  statusLine: single(() => form.looseObject({ command: name() }), {
    about: 'the status line of the terminal app: `command` prints it',
    otherwise: 'a built-in line',
  }),
};

function projectCheck(what: string) {
  return single(commandOrFalse, {
    about: `the project's [${what}](checks.md): a shell command, or \`false\` for none`,
    otherwise: 'found in the files of the project',
  });
}

/** The content of one settings file, after checking. */
export type SettingsFileContent = WrittenTable<typeof settingsTable>;

/** The merged result of all layers. */
export type MergedSettings = MergedTable<typeof settingsTable>;
