import { json } from './common-flags.ts';
import { toggle } from './flag.ts';

/** Commands about the files and formats of hand-offs. Part of `commandTable`. */
export const handoffCommands = {
  handoff: {
    about: 'show and change the templates, profiles and schemas of hand-offs',
    isGroup: true,
  },
  'handoff templates': {
    about: 'list templates with their phase, profile and model; broken files too',
    isDefault: true,
    flags: { json },
  },
  'handoff profiles': { about: 'list profiles with their tools; broken files too', flags: { json } },
  'handoff show': {
    about: 'show a template, profile or protocol as it applies here: templates/writer, read-only',
    takes: '<name>',
    flags: { json },
  },
  'handoff schema': {
    about: 'print a schema as JSON Schema: request, or the response of a phase; all of them by default',
    takes: '[name]',
    offers: ['request', 'research', 'write', 'validate', 'analyzer'],
  },
  'handoff init': {
    about: 'write the built-in files to .cadre/sub-agents of this repository, for you to change',
    flags: {
      user: toggle('to your own directory instead, for all repositories'),
      force: toggle('replace files that you changed'),
      json,
    },
  },
} as const;
