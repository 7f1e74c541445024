import { join, posix } from 'node:path';
import type { Rule } from '../../protocol/permission.ts';
import type { OrderRule } from '../../remote/job.ts';
import { relativeParts } from '../../workspace/paths.ts';

/** What a session denies and asks about, for a job: paths of its repository are those of the job's checkout there. */
export function collectOrderRules(rules: readonly Rule[], top: string): OrderRule[] {
  return rules.flatMap(({ behaviour, tool, specifier, base, except }): OrderRule[] => {
    if (behaviour === 'allow') return [];
    if (specifier === undefined) return [{ behaviour, tool }];
    const isAbsolute = specifier.startsWith('//');
    if (!isAbsolute && !specifier.startsWith('/')) return [{ behaviour, tool, specifier }];
    const inside = isAbsolute
      ? relativeParts(specifier.slice(1), top)?.join('/')
      : relativeParts(base, top)?.join('/');
    // What closes all but parts of this machine says nothing about another one, on which those parts are elsewhere.
    if (inside === undefined && except !== undefined) return [];
    // Elsewhere on this machine: the same place there, if it exists.
    if (inside === undefined)
      return [{ behaviour, tool, specifier: isAbsolute ? specifier : `/${posix.join(base, specifier)}` }];
    return isAbsolute
      ? [{ behaviour, tool, specifier: `/${inside}`, within: '' }]
      : [{ behaviour, tool, specifier, within: inside }];
  });
}

/** The same as a layer of settings of the session that runs the job. */
export function renderOrderRules(rules: readonly OrderRule[], top: string): string {
  const list = (wanted: OrderRule['behaviour']) =>
    rules.filter(({ behaviour }) => behaviour === wanted).map((rule) => renderRule(rule, top));
  return JSON.stringify({ permissions: { deny: list('deny'), ask: list('ask') } });
}

function renderRule({ tool, specifier, within }: OrderRule, top: string): string {
  if (specifier === undefined) return tool;
  return `${tool}(${within === undefined ? specifier : `/${join(top, within)}${specifier}`})`;
}
