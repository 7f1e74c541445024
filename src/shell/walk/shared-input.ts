import { readLiteral, type SimpleCommand, type Sweep } from '../grammar/types.ts';
import { classify } from '../programs/classify.ts';

/**
 * Why names from a pipe may be incomplete: any other reader of the same pipe takes as many bytes as it likes, and the next
 * one begins in the middle of a name.
 */
export function findInputFault(
  commands: readonly SimpleCommand[],
  names: Sweep,
  isCompound: boolean,
): string | undefined {
  const readers = flatten(commands).filter((one) => one.takesNames === names && mayRead(one));
  const byLine = readers.filter((one) => readLiteral(one.words[0]) === 'read' && isWholeLine(one));
  const isUsed = readers.some((one) => /^(?:read|xargs)$/.test(readLiteral(one.words[0]) ?? ''));
  const others = readers.length - byLine.length;
  return isUsed && others > 0 && (isCompound || readers.length > 1)
    ? 'more than one command reads from the same pipe'
    : undefined;
}

/** With everything that they run; commands that xargs runs read nothing. */
function flatten(commands: readonly SimpleCommand[]): SimpleCommand[] {
  return commands.flatMap((one) => [
    one,
    ...(readLiteral(one.words[0])?.endsWith('xargs') ? [] : flatten(one.inner)),
  ]);
}

function isWholeLine({ words }: SimpleCommand): boolean {
  return words.slice(1).every((word) => /^(?:-r|[^-].*)$/s.test(readLiteral(word) ?? '-'));
}

/** Not commands that only print their words, read names, or are given files to read. */
function mayRead(command: SimpleCommand): boolean {
  const name = readLiteral(command.words[0]);
  if (command.words.length === 0 || name === undefined) return false;
  if (name === 'read' || name === 'xargs') return true;
  if (command.wrapper && command.wrapper.kind !== 'opaque') return false;
  if (command.words.some((word) => /^-$|^\/(?:dev|proc)\/|^--batch/.test(readLiteral(word) ?? '')))
    return true;
  const effect = classify(command);
  return !inputless.has(name) && !(effect.known && effect.uses.length > 0);
}

const inputless: ReadonlySet<string> = new Set(
  'echo printf test [ true false : pwd cd break continue exit return local ls find basename dirname date sleep git'.split(
    ' ',
  ),
);
