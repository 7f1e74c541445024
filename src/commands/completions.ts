import { processIo } from '../headless/process-io.ts';
import { type CommandDeclaration, listCommands } from './table/commands.ts';
import { type Flag, type FlagTable, listNames } from './table/flag.ts';
import { mainFlags } from './table/main-flags.ts';

export type CompletedShell = 'bash' | 'zsh' | 'fish';

/** `cadre completions SHELL`: a script for the shell, generated from the tables of the command line. */
export async function printCompletions(shell: CompletedShell): Promise<number> {
  return (await processIo().writeOut(writers[shell](listLevels()))) ? 0 : 1;
}

/** One place in the command line, by the words that lead there. */
interface Level {
  path: string[];
  /** Commands below it, and words it takes itself. */
  words: { name: string; about: string; isCommand: boolean }[];
  options: { names: string[]; about: string; takesValue: boolean; choices: readonly string[] }[];
}

function listLevels(): Level[] {
  const main = Object.assign({}, ...Object.values(mainFlags).map(({ flags }) => flags));
  const top: Level = { path: [], words: listBelow([]), options: [version, ...listOptions(main)] };
  const others = listCommands().map(
    ({ words, entry }): Level => ({
      path: words,
      words: [...listBelow(words), ...listArguments(entry)],
      options: listOptions(entry.flags),
    }),
  );
  return [top, ...others];
}

function listBelow(path: readonly string[]): Level['words'] {
  return listCommands()
    .filter(({ words }) => words.slice(0, -1).join(' ') === path.join(' '))
    .map(({ words, entry: { about } }) => ({ name: words.at(-1) ?? '', about, isCommand: true }));
}

function listArguments({ choices, offers, about }: CommandDeclaration): Level['words'] {
  return (choices ?? offers ?? []).map((name) => ({ name, about, isCommand: false }));
}

const help = { names: ['-h', '--help'], about: 'show help', takesValue: false, choices: [] };
const version = { names: ['-v', '--version'], about: 'print the version', takesValue: false, choices: [] };

function listOptions(flags: FlagTable): Level['options'] {
  const shown = Object.entries(flags).filter(([, { isHidden }]) => !isHidden);
  return [...shown.map(([key, flag]) => describeOption(key, flag)), help];
}

function describeOption(key: string, flag: Flag): Level['options'][number] {
  const { about, placeholder, choices = [] } = flag;
  return { names: listNames(key, flag), about, takesValue: placeholder?.startsWith('<') === true, choices };
}

const writers: Record<CompletedShell, (levels: Level[]) => string> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};

function writeBash(levels: Level[]): string {
  const cases = levels.map(({ path, words, options }) => {
    const all = [...words.map(({ name }) => name), ...options.flatMap(({ names }) => names)];
    return `    ${quote(path.join(' '))}) words=${quote(all.join(' '))};;`;
  });
  return `# cadre completions bash: put  source <(cadre completions bash)  into ~/.bashrc
_cadre() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${levels
  .filter(({ path }) => path.length > 0)
  .map(
    ({ path }) =>
      `      ${quote(`${path.slice(0, -1).join(' ')} ${path.at(-1)}`)}) path=${quote(path.join(' '))};;`,
  )
  .join('\n')}
    esac
  done
  case "$previous" in
${valueCases(levels, (choices) =>
  choices.length > 0 ? `COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$current"))` : 'COMPREPLY=()',
)}
  esac
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _cadre cadre
`;
}

/** After an option with fixed values: those. After one that takes anything: files. */
function valueCases(levels: Level[], offer: (choices: readonly string[]) => string): string {
  const options = levels.flatMap((level) => level.options).filter(({ takesValue }) => takesValue);
  const seen = new Set<string>();
  return options
    .filter(({ names }) => !seen.has(names.join()) && seen.add(names.join()))
    .map(({ names, choices }) => `    ${names.map(quote).join('|')}) ${offer(choices)}; return;;`)
    .join('\n');
}

function writeZsh(levels: Level[]): string {
  const cases = levels.map(({ path, words, options }) => {
    const rows = [
      ...words.map(({ name, about }) => `${name}:${about}`),
      ...options.flatMap(({ names, about }) => names.map((name) => `${name}:${about}`)),
    ];
    return `    ${quote(path.join(' '))}) rows=(${rows.map((row) => quote(row)).join(' ')});;`;
  });
  return `#compdef cadre
# cadre completions zsh: put  source <(cadre completions zsh)  into ~/.zshrc, after compinit
_cadre() {
  local level="" word; local -a rows
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$level $word" in
${levels
  .filter(({ path }) => path.length > 0)
  .map(
    ({ path }) =>
      `      ${quote(`${path.slice(0, -1).join(' ')} ${path.at(-1)}`)}) level=${quote(path.join(' '))};;`,
  )
  .join('\n')}
    esac
  done
  case "\${words[CURRENT-1]}" in
${valueCases(levels, (choices) => (choices.length > 0 ? `compadd -- ${choices.map(quote).join(' ')}` : '_files'))}
  esac
  case "$level" in
${cases.join('\n')}
  esac
  _describe cadre rows || _files
}
compdef _cadre cadre
`;
}

function writeFish(levels: Level[]): string {
  const lines = levels.flatMap(({ path, words, options }) => {
    const start = (passed: Level['words']) => {
      const deeper = passed.map(({ name }) => name).join(' ');
      const here = [
        ...path.map((word) => `__fish_seen_subcommand_from ${word}`),
        ...(deeper ? [`not __fish_seen_subcommand_from ${deeper}`] : []),
      ].join('; and ');
      return `complete -c cadre -n ${quote(here)}`;
    };
    const commands = words.filter(({ isCommand }) => isCommand);
    return [
      ...words.map(({ name, about }) => `${start(words)} -f -a ${quote(name)} -d ${quote(about)}`),
      ...options.map(({ names, about, takesValue, choices }) => {
        const flags = names.map((name) =>
          name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const value = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `${start(commands)} ${flags.join(' ')}${value} -d ${quote(about)}`;
      }),
    ];
  });
  return `# cadre completions fish: cadre completions fish > ~/.config/fish/completions/cadre.fish\n${lines.join('\n')}\n`;
}

/** Inside single quotes only the quote itself is special in all three shells; fish also treats the backslash so. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
