import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lib/fields/parse-json.ts';
import type { Finder, FoundCheck } from '../types.ts';

const schema = z.object({ tasks: z.record(z.string(), z.unknown()).catch({}).default({}) });

/** A task of deno.json, else Deno's own checks. */
export const findDeno: Finder = (directory, listing) => {
  const file = ['deno.json', 'deno.jsonc'].find((name) => listing.names(directory).includes(name));
  if (file === undefined) return [];
  const path = join(directory, file);
  const parsed = schema.safeParse(parseJson(stripComments(listing.read(path) ?? '')));
  const tasks = parsed.success ? parsed.data.tasks : {};
  const own = (
    name: FoundCheck['name'],
    task: string,
    command: string,
    more?: FoundCheck['reporting'],
  ): FoundCheck =>
    task in tasks
      ? {
          ...{ name, command: `deno task ${task}`, cwd: directory, source: `${path} tasks.${task}` },
          definition: { [`${path} tasks.${task}`]: JSON.stringify(tasks[task]) },
        }
      : { name, command, cwd: directory, source: path, ...(more ? { reporting: more } : {}) };
  return [
    own('types', 'check', 'deno check .'),
    own('lint', 'lint', 'deno lint', { command: 'deno lint --json', format: 'deno-lint' }),
    own('tests', 'test', 'deno test', { command: 'deno test --reporter=junit', format: 'junit' }),
  ];
};

/** Whole lines only: what is in a string stays. */
function stripComments(text: string): string {
  return text.replace(/^\s*\/\/.*$/gm, '');
}
