import { readLiteral, type SimpleCommand } from '../grammar/types.ts';

/**
 * Whether everything a command prints is free of characters that the shell would read as a pattern (`*`, `?`, `[`, `\`), such
 * as numbers, hashes, dates and branch names. Outside quotes any other output may become the names of any files.
 * `takesPlain`: its piped input is free of them.
 */
export function printsPlain({ words, mixes }: SimpleCommand, takesPlain: boolean): boolean {
  const texts = words.map((word) => readLiteral(word) ?? '*');
  // Messages in the output may repeat anything.
  if (mixes || texts.some((text) => /[*?[\\]/.test(text))) return false;
  const [program = '', ...rest] = texts;
  if (program === 'git') return printsPlainGit(rest);
  if (takesPlain && Object.hasOwn(filters, program)) return filters[program]?.test(rest.join(' ')) === true;
  return Object.hasOwn(printers, program) && printers[program]?.test(rest.join(' ')) === true;
}

/** Words that a program prints as they are, if it prints them at all; none of them an option. */
const operands = '(?:[^- ][^ ]*(?: |$))*';
const anything = /^/;

/** They print numbers, facts about the system and words that they are given. After each: the allowed words. */
const printers: Readonly<Record<string, RegExp>> = {
  wc: new RegExp(`^(?:-[clmwL]+(?: |$))*${operands}$`),
  grep: new RegExp(`^(?:-[iEFvwxh]+ )*-[iEFvwxh]*c[iEFvwxh]* (?:-[iEFvwxh]+ )*${operands}$`),
  stat: new RegExp(`^-c (?:%[sYXZWaAuUgGhi][ :,]?)+ ${operands}$`),
  ...Object.fromEntries(
    ['md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'cksum'].map((name) => [
      name,
      new RegExp(`^${operands}$`),
    ]),
  ),
  ...Object.fromEntries(
    [
      ...['seq', 'nproc', 'date', 'whoami', 'id', 'uname', 'hostname', 'arch', 'pwd'],
      ...['echo', 'printf', 'basename', 'dirname', 'expr'],
    ].map((name) => [name, anything]),
  ),
};

/** They pass on their input, where they are given no file. */
const filters: Readonly<Record<string, RegExp>> = {
  head: /^(?:-(?:[nc] ?)?\d+(?: |$))*$/,
  tail: /^(?:-(?:[nc] ?)?\d+(?: |$))*$/,
  sort: /^(?:-[bdfghinrRuVz]+(?: |$))*$/,
  uniq: /^(?:-[cdiuz]+(?: |$))*$/,
  tac: /^$/,
  cut: /^(?:-d[^ ]? ?|-[cf][\d,-]+ ?)+$/,
  tr: /^-d .?[^ ]*$/,
};

/** No branch or tag name contains such a character: git refuses to create one. */
function printsPlainGit([name = '', ...rest]: readonly string[]): boolean {
  return Object.hasOwn(gitPrinters, name) && gitPrinters[name]?.test(rest.join(' ')) === true;
}

const revisions = '(?:[A-Za-z0-9@^][\\w./@^~{}-]*(?: |$))*';
const gitPrinters: Readonly<Record<string, RegExp>> = {
  'rev-parse': new RegExp(
    `^(?:(?:-q|--(?:short(?:=\\d+)?|abbrev-ref|verify|quiet|show-toplevel|git-dir|is-inside-work-tree))(?: |$))*${revisions}$`,
  ),
  'rev-list': new RegExp(`^(?:(?:-n \\d+|-\\d+|--(?:count|all|max-count=\\d+))(?: |$))*${revisions}$`),
  'merge-base': new RegExp(`^${revisions}$`),
  'symbolic-ref': /^(?:-q )?(?:--short )?HEAD$/,
  describe: new RegExp(`^(?:--(?:tags|always|all|long|dirty|exact-match|abbrev=\\d+)(?: |$))*${revisions}$`),
  branch: /^(?:--show-current|(?:-[ar] |--(?:all|list) )*--format=%\(refname:short\)(?: -[ar])?)$/,
  tag: /^(?:-l|--list)?$/,
  log: new RegExp(
    `^(?:-n ?\\d+ |-\\d+ )*--(?:format|pretty)=(?:%(?:[hHtTpP]|[ac][tiI])[:,]?)+(?: -n ?\\d+| -\\d+)*(?: ${revisions})?$`,
  ),
};
