import { renameWord } from '../grammar/rename-word.ts';
import { literalValue, literalWord, readLiteral, type ShellWord } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';

/**
 * The checkouts and files that a git command makes: undefined for one that makes none, a string where the text does not say
 * which. `flags` are undefined where some are unknown.
 */
export function listMade(
  name: string,
  operands: readonly ShellWord[],
  flags: ReadonlySet<string> | undefined,
): readonly PathUse[] | string | undefined {
  const [first, second] = operands;
  const action = readLiteral(first);
  switch (name) {
    case 'clone':
      return listTargets(name, operands, flags);
    case 'init':
      return operands.flatMap(buildCheckout);
    case 'worktree':
      if (action === 'add')
        return flags ? (second ? buildCheckout(second) : []) : operands.flatMap(buildCheckout);
      return action === 'move' ? undefined : operands.slice(1).flatMap(buildCheckout);
    case 'submodule': {
      const isNoted = first && /^(?:add|set-url|set-branch)$/.test(action ?? 'add');
      if (!isNoted) return [];
      const targets = action === 'add' ? listTargets(name, operands.slice(1), flags) : [];
      return typeof targets === 'string' ? targets : [written(literalWord('.gitmodules')), ...targets];
    }
    default:
      return undefined;
  }
}

/** Where a copy of another repository goes: to the second operand, or to a name that git takes from the address. */
function listTargets(
  name: string,
  [address, target, ...more]: readonly ShellWord[],
  flags: ReadonlySet<string> | undefined,
): readonly PathUse[] | string {
  const unclear = `the command does not say to which directory git ${name} would write`;
  if (!flags || more.length > 0 || !address?.single) return unclear;
  if (target) return buildCheckout(target);
  const names = address.values?.map(({ text, isPattern }) => (isPattern ? undefined : guessName(text)));
  if (!names || names.includes(undefined)) return unclear;
  const endings = ['', ...(flags.has('--bare') || flags.has('--mirror') ? ['.git'] : [])];
  const values = names
    .flatMap((all = []) => all.flatMap((one) => endings.map((ending) => one + ending)))
    .map(literalValue);
  return buildCheckout({ text: address.text, values, single: true });
}

/**
 * The names that git may give to the copy of a repository, by its address; undefined where versions of git could differ. It
 * leaves out a login, slashes and `/.git` at the end, the port of a host alone and an ending, and takes what is behind the
 * last slash or colon.
 */
function guessName(address: string): readonly string[] | undefined {
  // Git turns blanks and control characters into others.
  if (!/^[\w.~+=,@:/%-]+$/.test(address)) return undefined;
  const [, path = ''] = /^(?:.*?:\/\/)?(?:[^/]*@)?(.*)$/s.exec(address) ?? [];
  const end = path.replace(/\/+$/, '').replace(/(?<=.)\/+\.git$/, '');
  const host = end.includes('/') ? end : end.replace(/:\d*$/, '');
  const last = host.replace(/^.*[/:]/s, '');
  const names = [last, last.replace(/\.git$/, ''), last.replace(/\.bundle$/, '')].filter((one) => one !== '');
  return names.length > 0 && !names.some((one) => /^\.{1,2}$/.test(one)) ? [...new Set(names)] : undefined;
}

/** The directory itself, and as an example something in it: a rule may be about either. */
function buildCheckout(word: ShellWord): PathUse[] {
  const inner = renameWord(word, (name) => `${name.replace(/\/+$/, '')}/x`);
  return [{ kind: 'write', word, whole: true }, written(inner)];
}

function written(word: ShellWord): PathUse {
  return { kind: 'write', word };
}
