import { json, settings, trust } from './common-flags.ts';
import { text, toggle } from './flag.ts';
import { verifyHelp } from './help.ts';

/** Commands about what a run has shown, and what the project's own checks show. */
export const recordCommands = {
  verify: {
    about: "check a run again from its files: its records' hashes and its agents' claims",
    takes: '<run>',
    completes: ['record'],
    flags: {
      export: text('file', 'write the result as an in-toto statement in a DSSE envelope', {
        completes: 'file',
      }),
      key: text('file', 'PEM key: private to sign an export, public to verify an envelope', {
        completes: 'file',
      }),
      json,
    },
    help: verifyHelp,
  },
  checks: {
    about: "find the project's own type check, linter, tests and security check, and run them",
    takes: '[check...]',
    offers: ['types', 'lint', 'tests', 'security'],
    flags: {
      list: toggle('only list what was found'),
      settings: settings('more settings, which override the files'),
      trust: trust('trust the settings of this repository for this run'),
      json,
    },
  },
} as const;
