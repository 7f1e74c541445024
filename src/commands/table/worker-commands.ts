import { json, permissionMode, settings } from './common-flags.ts';
import { count, duration, negated, repeated, text, toggle, toolList } from './flag.ts';

const engine = text('address', 'redis://…, rediss://… or postgres://…; CADRE_ENGINE otherwise');

/** Commands about machines that run agents for others. Part of `commandTable`. */
export const workerCommands = {
  worker: {
    about: 'run agents of other machines on this one, and set that up',
    isGroup: true,
  },
  'worker run': {
    about:
      'take jobs from the engine and run them until it is stopped; a first signal lets running calls finish',
    isDefault: true,
    flags: {
      engine,
      slots: count('count', 'how many jobs at once; 4 by default'),
      label: repeated('name', 'take jobs with this label; default otherwise'),
      name: text('name', 'its name in the list; the name of the machine otherwise'),
      directory: text('path', 'where jobs have their files; ~/.cadre-worker otherwise'),
      mode: permissionMode('the highest permission mode of a job; acceptEdits otherwise'),
      tools: toolList('tools', 'the only built-in tools that a job may have'),
      questions: negated('deny what would be asked, without asking the submitter'),
      sandbox: negated('run commands without the sandbox'),
      openSetup: toggle('run the setup of a repository also where no sandbox works'),
      lease: duration('how long a job stays with a worker that does not answer; 30s otherwise'),
      settings: settings('more settings, which override the files of the user'),
    },
  },
  'worker doctor': {
    about: 'check what a worker needs here, and what a repository asks for in .cadre/worker.json',
    flags: { engine, repository: text('path', 'check for this repository; the one around otherwise'), json },
  },
  'worker key': { about: 'print the public key that signs your jobs; workers must trust it' },
  'worker trust': {
    about: 'accept the jobs that a key signed, and what a worker with this key has begun',
    takes: '<key> [note...]',
  },
  'worker prepare': {
    about: 'create what the engine needs on its server: tables on PostgreSQL, nothing on Redis',
    flags: { engine },
  },
  workers: {
    about: 'list the workers of an engine with state, labels, slots and load',
    flags: { engine, json },
  },
} as const;
