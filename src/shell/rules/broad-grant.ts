import type { Rule } from '../../protocol/permission.ts';
import { runsGiven, runsGivenBy } from '../tables/runs-given.data.ts';
import { wrappers } from '../walk/unwrap.ts';
import { baseName, splitWords } from './rules.ts';
import { launchers } from './runner-options.ts';

/** A shell-wide grant, or one for a program that runs whatever it is given. For shell rules only. */
export function isBroadGrant(rule: Rule): boolean {
  if (rule.behaviour !== 'allow') return false;
  const all = splitWords((rule.specifier ?? '*').replace(/:\*$/, ' *'));
  if (!all.some((word) => word.includes('*'))) return false;
  const words = all.slice(all.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)));
  const first = baseName(words[0] ?? '*');
  return first.includes('*') || listProgramNames(first).some((name) => runsWhatIsGiven(name, words.slice(1)));
}

/** `python3.11`, `node22`, `ld-linux-x86-64.so.2` and `Rscript.exe` are recognized by the part before the version. */
function listProgramNames(program: string): string[] {
  const name = program.toLowerCase().replace(/\.exe$/, '');
  const plain = name.replace(/-?v?\d+(?:\.\d+)*[a-z]?$/, '');
  return [name, plain, ...(/^ld-.*\.so/.test(name) ? ['ld.so'] : [])];
}

function runsWhatIsGiven(name: string, words: readonly string[]): boolean {
  const [second = '*'] = words;
  if (runsGiven.has(name) || wrappers.has(name) || launchers.has(name)) return true;
  if (launchers.has(`${name} ${second}`)) return true;
  const subcommands = Object.hasOwn(runsGivenBy, name) ? runsGivenBy[name] : undefined;
  // After an option, or a star, any subcommand may follow.
  return (
    subcommands !== undefined && (/^-|\*/.test(second) || words.some((word) => subcommands.includes(word)))
  );
}
