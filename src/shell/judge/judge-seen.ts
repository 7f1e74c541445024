import type { Decision } from '../../protocol/permission.ts';
import type { PathUse } from '../programs/effect.ts';
import { findGrantedEffect } from '../rules/granted.ts';
import { fileTools } from '../tables/file-tools.data.ts';
import { textTools } from '../tables/text-tools.data.ts';
import { unreadWriters } from '../tables/writers.data.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { readCommandName } from './command-words.ts';
import { judgeNamedWrites } from './judge-named.ts';
import { judgeUse } from './judge-use.ts';
import { isFirm, type OpenCase } from './shell-case.ts';

/**
 * Parts that the sandbox does not answer for a command that nothing else allows: files that its text says it writes or
 * removes, by the same tables as without a sandbox. Files it reads are hidden or not, whatever the text says.
 */
export function judgeSeen(given: OpenCase, one: JudgedCommand): Decision[] {
  const { command, effect } = one;
  if (effect.known) return [];
  const seen = findGrantedEffect(command, effect.reason);
  if (seen?.known)
    return seen.uses
      .filter(({ kind }) => kind === 'write' || kind === 'remove')
      .flatMap((use) => judgeUse(given, one, asSeen(use), 'everything'))
      .filter(isFirm);
  const name = readCommandName(command);
  const isReader = Object.hasOwn(fileTools, name) || Object.hasOwn(textTools, name);
  const isWriter = seen !== undefined || unreadWriters.has(name);
  return isWriter && (!isReader || alsoWriting.has(name)) ? judgeNamedWrites(given, command) : [];
}

/** Their tables are about reading archives and scripts. */
const alsoWriting: ReadonlySet<string> = new Set([
  'tar',
  'unzip',
  'sed',
  'gzip',
  'gunzip',
  'bzip2',
  'xz',
  'sort',
]);

/** Protected files among files with certain names are read-only in there. */
function asSeen({ whole, ...use }: PathUse): PathUse {
  return whole && !use.isPart ? { ...use, whole } : use;
}
