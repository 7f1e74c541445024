import { branchBySize } from './branch.ts';
import { chain } from './chain.ts';
import { parallel } from './parallel.ts';
import type { Pattern } from './pattern.ts';
import { phase } from './phase.ts';
import type { RoleName } from './roles.ts';
import type { CheckName } from './schema.ts';

/** The patterns of `cadre run NAME`. Their names are reserved: a workflow cannot have one of them. */
export const builtInPatterns = {
  chain: {
    roles: ['researcher', 'writer', 'validator'],
    build: () => chain(phase('researcher'), phase('writer'), phase('validator')),
  },
  parallel: {
    roles: ['parallel-executor'],
    build: () =>
      parallel({
        types: buildCheck('types', 'Validate the types: the type check of the project.'),
        lint: buildCheck('lint', 'Validate the style: the linter of the project.'),
        tests: buildCheck('tests', 'Validate the behaviour: the tests of the project.'),
        security: buildCheck('security', 'Validate the security: the security check of the project.'),
      }),
  },
  branch: {
    roles: ['analyzer', 'quick-writer', 'researcher', 'architect', 'writer'],
    build: () =>
      branchBySize(phase('analyzer'), {
        simple: phase('quick-writer'),
        complex: chain(phase('researcher'), phase('architect'), phase('writer')),
      }),
  },
} as const satisfies Record<string, { roles: readonly RoleName[]; build(): Pattern }>;

export type BuiltInPattern = keyof typeof builtInPatterns;

export function isBuiltInPattern(name: string): name is BuiltInPattern {
  return Object.hasOwn(builtInPatterns, name);
}

function buildCheck(label: CheckName, instructions: string) {
  return phase('parallel-executor', { label, instructions, checks: [label] });
}
