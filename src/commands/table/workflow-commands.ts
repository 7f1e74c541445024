import { addDir, json, permissionMode, pluginDir, settings, trust } from './common-flags.ts';
import { count, dollars, duration, text, toggle, usualChoice } from './flag.ts';

/** Commands about workflows and their runs. Part of `commandTable`. */
export const workflowCommands = {
  run: {
    about: 'run a workflow by its name or file, or resume a run',
    takes: '[workflow] [args...]',
    completes: ['workflow', 'file'],
    flags: {
      args: text('json', 'the arguments, as JSON'),
      resume: text('run', 'continue this run: finished calls are not run again', { completes: 'run' }),
      rerunDiverged: toggle('run calls again whose agent type or model has changed'),
      yes: toggle('start as many agents as the workflow wants without asking'),
      model: text('name', 'model of the session: provider/id, a bare id, or opus, sonnet, haiku', {
        completes: 'model',
      }),
      maxBudgetUsd: dollars('stop when the run has cost this much'),
      maxTokens: count('count', 'stop when the run has used this many tokens'),
      wait: duration('wait this long for a limit that resets later: 90m, 6h; default 0'),
      permissionMode: permissionMode('permission mode of its agents'),
      addDir: addDir('let its agents work in another directory as well'),
      pluginDir: pluginDir('include a plugin'),
      settings: settings('more settings, which override the files'),
      trust: trust('trust everything in this repository for this run'),
      outputFormat: usualChoice(
        'format',
        ['text', 'json', 'stream-json'],
        'output format; stream-json: frames of calls, phases and agents as they come',
      ),
      json: toggle('print the end of the run as JSON; short for --output-format json'),
    },
  },
  workflows: { about: 'list workflows and their runs', isGroup: true },
  'workflows list': {
    about: 'list workflows',
    isDefault: true,
    flags: { pluginDir: pluginDir('include a plugin'), addDir: addDir('include another directory'), json },
  },
  'workflows runs': { about: 'list runs, the newest first', flags: { json } },
  'workflows show': {
    about: 'show a run with its calls, outcomes and verdicts',
    takes: '<run>',
    completes: ['run'],
    flags: { json },
  },
} as const;
