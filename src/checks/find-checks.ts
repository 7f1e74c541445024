import { dirname, join, relative } from 'node:path';
import { parseJson } from '../lib/fields/parse-json.ts';
import { findDeno } from './find/deno.ts';
import { findDotnet } from './find/dotnet.ts';
import { findGo } from './find/go.ts';
import { findJvm } from './find/jvm.ts';
import { findNode } from './find/node.ts';
import { findPython } from './find/python.ts';
import { findRust } from './find/rust.ts';
import { findTargets } from './find/targets.ts';
import type { ProjectFiles } from './project-files.ts';
import {
  type CheckLookup,
  checkNames,
  type Finder,
  type FoundChecks,
  type ProjectCheckName,
} from './types.ts';

/** A language's own files come before those that call several tools. The first that names a check has it. */
const finders: readonly Finder[] = [
  findNode,
  findDeno,
  findRust,
  findGo,
  findPython,
  findJvm,
  findDotnet,
  findTargets,
];

/** A command, or false: this check is not wanted. */
export type CheckSettings = { [Name in ProjectCheckName]?: string | false | undefined };

export interface FindChecks {
  /** Where the work is. */
  cwd: string;
  /** The top of the project: nothing above it is looked at. */
  root: string;
  listing: ProjectFiles;
  settings?: CheckSettings | undefined;
}

/**
 * The project's own checks: from settings, else those of the nearest directory that has one, from `cwd` up to `root`. What no file
 * names is missing; nothing is guessed.
 */
export function findChecks({ cwd, root, listing, settings = {} }: FindChecks): FoundChecks {
  const found: Partial<Record<ProjectCheckName, CheckLookup>> = {};
  for (const name of checkNames) {
    const setting = settings[name];
    if (setting === false) found[name] = { name, missing: `switched off by the setting checks.${name}` };
    else if (setting !== undefined)
      found[name] = { name, command: setting, cwd, source: `setting checks.${name}` };
  }
  for (const directory of listUp(cwd, root))
    for (const finder of finders)
      for (const check of finder(directory, listing, root)) found[check.name] ??= check;
  const broken = listUp(cwd, root)
    .map((directory) => join(directory, 'package.json'))
    .find((path) => isBroken(listing.read(path)));
  const missing = (name: ProjectCheckName): CheckLookup => ({
    name,
    missing: `${broken === undefined ? '' : `${broken} is not JSON, and `}no file from ${cwd} up to ${root} names one; the setting checks.${name} can`,
  });
  return {
    types: found.types ?? missing('types'),
    lint: found.lint ?? missing('lint'),
    tests: found.tests ?? missing('tests'),
    security: found.security ?? missing('security'),
  };
}

function isBroken(manifest: string | undefined): boolean {
  return manifest !== undefined && parseJson(manifest) === undefined;
}

function listUp(cwd: string, root: string): string[] {
  const isInside = cwd === root || !relative(root, cwd).startsWith('..');
  const directories = [cwd];
  for (let at = cwd; isInside && at !== root && at !== dirname(at); at = dirname(at))
    directories.push(dirname(at));
  return directories;
}
