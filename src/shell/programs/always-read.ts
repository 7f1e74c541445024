import { literalWord } from '../grammar/types.ts';
import { alwaysRead } from '../tables/versions.data.ts';
import type { PathUse } from './effect.ts';

/** Files of the working directory that a program reads whatever its words are. */
export function listAlwaysRead(name: string): readonly PathUse[] {
  const files = Object.hasOwn(alwaysRead, name) ? (alwaysRead[name] ?? []) : [];
  return files.map((file) => ({ kind: 'read', word: literalWord(file) }));
}
