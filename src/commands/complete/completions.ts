import { ok, type Result } from '../../lib/result.ts';
import { type CompletedShell, completeArgument } from './request.ts';

/**
 * `cadre completions SHELL`: a script for the shell. It asks the program at every Tab, so it stays right when commands
 * and flags change, and all shells offer the same.
 */
export function printCompletions(shell: CompletedShell): Result<string> {
  return ok(writers[shell](quote(findProgram())));
}

/**
 * The file of this program, which starts faster than a launcher. A command as it was typed would not do: `./cadre` may be
 * a repository's.
 */
function findProgram(): string {
  return import.meta.dirname.startsWith('/$bunfs/') ? process.execPath : 'cadre';
}

const writers: Readonly<Record<CompletedShell, (program: string) => string>> = {
  bash: (program) => `# cadre completions bash: put  source <(cadre completions bash)  into ~/.bashrc
_cadre() {
  local program=${program} kind='' line
  [[ -x $program ]] || program=cadre
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command "$program" ${completeArgument} bash "$COMP_TYPE" "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
  case $kind in
    file) compopt -o default 2>/dev/null ;;
    directory) compopt -o dirnames 2>/dev/null ;;
    *) compopt -o nosort 2>/dev/null ;;
  esac
}
complete -F _cadre cadre
`,
  zsh: (program) => `#compdef cadre
# cadre completions zsh: put  source <(cadre completions zsh)  into ~/.zshrc, after compinit
_cadre() {
  local program=${program} kind
  [[ -x $program ]] || program=cadre
  local -a rows
  rows=("\${(@f)$(command $program ${completeArgument} zsh - "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
  kind=$rows[1]
  shift rows
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  case $kind in
    file) _files ;;
    directory) _files -/ ;;
    *) _describe -V cadre rows ;;
  esac
}
compdef _cadre cadre
`,
  fish: (program) => `# cadre completions fish: cadre completions fish > ~/.config/fish/completions/cadre.fish
function __cadre_complete
    set -l program ${program}
    test -x $program; or set program cadre
    set -l given (commandline -opc)
    set -l current (commandline -ct)
    set -l rows (command $program ${completeArgument} fish - $given[2..-1] "$current" 2>/dev/null </dev/null)
    switch "$rows[1]"
        case file
            __cadre_paths __fish_complete_path $current
        case directory
            __cadre_paths __fish_complete_directories $current
        case '*'
            printf '%s\\n' $rows[2..-1]
    end
end
function __cadre_paths
    set -l flag (string match -r -- '^--[^=]+=' $argv[2])
    $argv[1] (string replace -r -- '^--[^=]+=' '' $argv[2]) | string replace -r -- '^' "$flag"
end
complete -c cadre -e
complete -c cadre -f -k -a '(__cadre_complete)'
`,
};

/** Inside single quotes only the quote itself is special in all three shells; fish also treats the backslash so. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
