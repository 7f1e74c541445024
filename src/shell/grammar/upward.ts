import { joinTold, type Told, untold } from '../../lib/told.ts';
import { settlePath } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { goesUp } from '../../workspace/paths.ts';
import type { PathUse } from '../programs/effect.ts';
import type { Value } from './types.ts';

/**
 * All readings of a pattern where a part of it may become `.` or `..`, which older shells let `.*` do: as it is, and with
 * these in that place. Not at the end, where only a name is shown. Untold where there are too many such parts.
 */
export function readUpward(value: Value, { kind, sweep }: PathUse): Told<readonly Value[]> {
  if (!value.isPattern || value.sweep) return [value];
  const isShallow = kind === 'list' && sweep === 'none';
  const parts = value.glob.split('/');
  const isUpward = (part: string, index: number) =>
    mayBecomeUp.test(part) && !isLonger.test(part) && !(isShallow && index === parts.length - 1);
  if (parts.filter(isUpward).length > maxUpward) return untold;
  const globs = parts.reduce<string[][]>(
    (all, part, index) =>
      all.flatMap((before) =>
        (isUpward(part, index) ? [part, '.', '..'] : [part]).map((one) => [...before, one]),
      ),
    [[]],
  );
  return globs.map((glob) =>
    glob.every((part, index) => part === parts[index]) ? value : filled(value, glob),
  );
}

const maxUpward = 3;

/** A dot, and characters that may match another one, or nothing. */
const mayBecomeUp = /^(?:\.|\\\.)(?:[*?]|\[.*\]|\.|\\\.)+$/;

/** `.[!.]*` and `.??*`: another character is in every such name, or three. */
const isLonger = /^\\?\.\**(?:\[!\.[^[\]\\]*\]|\?\**\?)/;

function filled(value: Value, parts: readonly string[]): Value {
  const glob = parts.join('/');
  const isPattern = parts.some((part) => /(?:^|[^\\])[*?[]/.test(part));
  return { ...value, glob, isPattern, text: isPattern ? glob : glob.replace(/\\(.)/g, '$1') };
}

/** A place, and the form of a name below it, where it comes from a pattern. */
interface Place {
  readonly path: string;
  readonly pattern?: string;
}

/** The target of a pattern with `..` after a star, for each name before it: a link goes to the parent of its target. */
export function settleUpward<T extends Place>(place: T, workspace: CallWorkspace): Told<readonly T[]> {
  const { path, pattern } = place;
  const { look } = workspace;
  if (pattern === undefined || !goesUp(`/${pattern}`) || !look) return [place];
  const parts = pattern.split('/');
  const at = parts.indexOf('..');
  const names = path === '/' ? [] : look.expand(path, parts.slice(0, at).join('/'));
  if (names === untold) return untold;
  const paths = new Set(names.flatMap((name) => settlePath(`${name}/..`, workspace)));
  const rest = parts.slice(at + 1).join('/');
  const found = [...paths].map((one) => withPattern({ ...place, path: one }, rest));
  return joinTold([place], ...found.map((one) => settleUpward(one, workspace)));
}

function withPattern<T extends Place>(place: T, pattern: string): T {
  const { pattern: _, ...plain } = place;
  return (pattern === '' ? plain : { ...plain, pattern }) as T;
}
