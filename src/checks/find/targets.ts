import { join } from 'node:path';
import { checkNames, type Finder, type ProjectCheckName } from '../types.ts';
import { readHead, readRule } from './rule.ts';

const targetNames: Record<ProjectCheckName, readonly string[]> = {
  types: ['typecheck', 'type-check', 'types', 'mypy'],
  lint: ['lint', 'check-lint'],
  tests: ['test', 'tests', 'check'],
  security: ['audit', 'security'],
};

const files = [
  { names: ['justfile', 'Justfile', '.justfile'], program: 'just' },
  { names: ['GNUmakefile', 'makefile', 'Makefile'], program: 'make' },
] as const;

/** Recipes of a justfile and targets of a makefile. */
export const findTargets: Finder = (directory, listing) => {
  const present = listing.names(directory);
  return files.flatMap(({ names, program }) => {
    const file = names.find((name) => present.includes(name));
    if (file === undefined) return [];
    const path = join(directory, file);
    const text = listing.read(path) ?? '';
    const targets = readTargets(text);
    return checkNames.flatMap((name) => {
      const target = targetNames[name].find((one) => targets.has(one));
      if (target === undefined) return [];
      const place = { cwd: directory, source: `${path}: ${target}` };
      return [
        {
          name,
          command: `${program} ${target}`,
          ...place,
          definition: { [`${path} ${target}`]: readRule(text, target, program) },
        },
      ];
    });
  });
};

/** Names in front of a colon at the start of a line, as far as they are plain; `x := y` is a variable. */
function readTargets(text: string): ReadonlySet<string> {
  return new Set(text.split('\n').flatMap((line) => readHead(line)?.names ?? []));
}
