import { basename } from 'node:path';
import type { CommandHandler } from './entry.ts';

/**
 * Whether a hook runs in the sandbox, where there is one: as it says, else where it starts a program that takes what it runs
 * from the directory that it is started in. A confined command can write there, and would otherwise be run outside.
 */
export function isConfinedHook({ sandbox, command, args = [] }: CommandHandler): boolean {
  if (sandbox !== undefined) return sandbox;
  const text = [command, ...args].join(' ');
  if (text.length > maxText) return true;
  return text.split(separators).some((part) => {
    const words = part.split(/\s+/).map((word) => word.replace(/^["']+|["']+$/g, ''));
    const at = words.findIndex((word) => word !== '' && !before.test(word));
    const program = basename(words[at] ?? '');
    return projectRunners.has(program) || (/^python[\d.]*$/.test(program) && runsModule(words.slice(at + 1)));
  });
}

const maxText = 16 * 1024;

/** Between commands, and before a script that a shell is given. */
const separators = /[;&|(`\n{!]|\s-l?c\s/;

/** What stands before the program: keywords, wrappers with their options and numbers, variables. */
const before =
  /^(?:then|do|else|elif|if|while|until|exec|command|time|timeout|nohup|nice|xargs|env|\w+=.*|-.*|\d+[smhd]?)$/;

/** Not where `-m` is an argument of a script. */
function runsModule(words: readonly string[]): boolean {
  const first = words.findIndex((word) => /^-\w*m$/.test(word) || !word.startsWith('-'));
  return /^-\w*m$/.test(words[first] ?? '');
}

/** They run scripts, build files, plugins or configuration of the project, or programs that are installed in it. */
const projectRunners: ReadonlySet<string> = new Set([
  ...['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx', 'deno', 'turbo', 'nx', 'lint-staged', 'tsx'],
  ...['ts-node', 'eslint', 'prettier', 'stylelint', 'jest', 'vitest', 'mocha', 'webpack', 'vite', 'rollup'],
  ...['make', 'gmake', 'just', 'task', 'rake', 'bundle', 'composer', 'mvn', 'gradle', 'sbt', 'dotnet'],
  ...['mix', 'cargo', 'go', 'uv', 'uvx', 'poetry', 'pdm', 'hatch', 'pipenv', 'tox', 'nox', 'pytest'],
  ...['pylint', 'mypy', 'rubocop', 'rspec', 'phpunit', 'phpstan', 'php-cs-fixer', 'pre-commit', 'lefthook'],
  ...['husky'],
]);
