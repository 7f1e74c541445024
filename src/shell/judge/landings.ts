import { type Told, untold } from '../../lib/told.ts';
import type { MadeName, ShellWord, Value } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';

/** `cp a/.npmrc dir` writes `dir/.npmrc`. */
export function landings(operands: readonly ShellWord[]): PathUse[] {
  const target = operands.at(-1);
  return operands.slice(0, -1).flatMap((source) => {
    const text = `${target?.text}/`;
    if (!target?.values || !source.values) return [{ kind: 'write' as const, word: { text, single: false } }];
    const { values: sources } = source;
    const values = target.values.flatMap((into) =>
      sources.map((from) => {
        const last = from.text.replace(/\/+$/, '').split('/').at(-1) ?? '';
        const lastGlob = from.glob.replace(/\/+$/, '').split('/').at(-1) ?? '';
        return {
          text: `${into.text}/${last}`,
          glob: `${into.glob}/${lastGlob}`,
          isPattern: into.isPattern || from.isPattern,
          ...(from.isPattern ? { made: findLanding(into, from) } : {}),
        };
      }),
    );
    return [{ kind: 'write' as const, word: { text, values, single: false } }];
  });
}

/** A name that a pattern finds is given to a file that need not exist. */
function findLanding(into: Value, from: Value): Told<MadeName> {
  if (into.isPattern || from.sweep || from.made !== undefined) return untold;
  return { before: `${into.text}/`, glob: from.glob, after: '', isLast: true };
}
