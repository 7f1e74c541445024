import type { Runner } from './runners.data.ts';

/** `ext::`, or the name of another helper that git would run for an address. */
const plainAddress = /^(?![\w+.-]+::)/s;
/** Settings that neither run a program nor name a file. */
const plainSetting =
  /^(?:user\.(?:name|email)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|color\..+|fetch\.prune|rebase\.auto(?:squash|stash)|branch\.[\w./-]+\.(?:remote|merge|rebase)|commit\.gpgsign|advice\..+|core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|longpaths))$/i;

const fetch =
  '-a -f -k -n -p -q -t -v --all --append --depth# --deepen# --shallow-since: --unshallow --force --keep --prune --prune-tags ' +
  '--no-tags --tags --quiet --verbose --dry-run --progress --recurse-submodules? --no-recurse-submodules --atomic --jobs# -j# --multiple --filter:';
const pick =
  '-x -n -e -m# --no-commit --edit --no-edit --continue --abort --skip --quit --mainline# -s --signoff --ff --allow-empty --keep-redundant-commits -X: --strategy-option:';
const switching =
  '-b: -B: -c: -C: -f -q -t -d -m -p --track? --no-track --detach --force --quiet --ours --theirs --merge --patch --orphan: ' +
  '--create: --force-create: --guess --no-guess --discard-changes --progress';

/** Options of git's subcommands that run no program named in the text. */
const flags: Readonly<Record<string, string>> = {
  add: '-A -u -v -n -f -p -i -N --all --update --verbose --dry-run --force --patch --intent-to-add --no-all --renormalize --chmod:',
  commit:
    '-a -m: -s -v -q -n -p -e -S? -C: -F< --all --message: --amend --no-edit --edit --signoff --no-verify --verbose --quiet ' +
    '--allow-empty --allow-empty-message --author: --date: --fixup: --squash: --dry-run --short --porcelain --only --include ' +
    '--reset-author --no-gpg-sign --patch --trailer: --no-post-rewrite --cleanup: --file< --no-status --status',
  push:
    '-u -f -n -q -v -d -o: --set-upstream --force --force-with-lease? --force-if-includes --dry-run --quiet --verbose --tags ' +
    '--follow-tags --all --delete --prune --atomic --no-verify --porcelain --progress --no-progress --mirror',
  fetch,
  pull: `${fetch} --rebase? -r? --ff-only --no-rebase --ff --no-ff --autostash --no-autostash --no-edit --squash --commit --no-commit --stat --allow-unrelated-histories -X:`,
  clone:
    '-q -v -n -b: -l -o: --depth# --branch: --single-branch --no-single-branch --no-tags --recurse-submodules? ' +
    '--shallow-submodules --bare --mirror --quiet --verbose --progress --filter: --no-checkout --origin: --jobs# -j# --sparse --no-hardlinks --local',
  rebase:
    '-i -q -v -f -r? --interactive --continue --abort --skip --quit --autosquash --no-autosquash --autostash --no-autostash ' +
    '--onto: --root --keep-empty --no-keep-empty --update-refs --rebase-merges? --force-rebase --no-ff --reset-author-date ' +
    '--committer-date-is-author-date --ignore-date --stat --no-stat --verbose --quiet --edit-todo --show-current-patch ' +
    '--no-verify --fork-point --keep-base --empty: -X: --strategy-option:',
  merge:
    '--ff --no-ff --ff-only --squash --no-squash --commit --no-commit -m: --abort --continue --quit --no-edit --edit -e --stat -n ' +
    '--no-stat -q -v --allow-unrelated-histories -X: --strategy-option: --no-verify --signoff --autostash --log? --verify-signatures',
  'cherry-pick': pick,
  revert: pick,
  checkout: switching,
  switch: switching,
  restore: '-s: -S -W -p -q --source: --staged --worktree --patch --quiet --ours --theirs --merge --progress',
  reset: '--soft --mixed --hard --merge --keep -q -p -N --quiet --patch',
  stash:
    '-u -a -k -p -q -m: -S --include-untracked --all --keep-index --no-keep-index --patch --quiet --message: --staged --index --stat',
  tag: '-a -s -d -f -l -m: -n? --annotate --sign --delete --force --list --message: --sort: --contains --points-at --format: --cleanup: --no-sign -F< --merged --no-merged',
  branch:
    '-a -d -D -f -l -m -M -c -C -r -v -vv -u: -t -q --all --delete --force --list --move --copy --remotes --verbose --set-upstream-to: ' +
    '--unset-upstream --show-current --sort: --contains --merged --no-merged --format: --track? --no-track --points-at: --quiet',
  rm: '-r -f -n -q --cached --force --dry-run --quiet --ignore-unmatch',
  mv: '-f -k -n -v --force --dry-run --verbose',
  clean: '-d -f -i -n -q -x -X -e: --force --dry-run --quiet --interactive',
  remote: '-v --verbose -f -t: -m: --tags --no-tags --prune --push --add --delete --all',
  submodule:
    '--init --recursive --remote --depth# -f --force -q --quiet -j# --jobs# --checkout --rebase --merge --no-fetch ' +
    '--recommend-shallow --single-branch -b: --name: --all --cached',
  worktree:
    '-b: -B: -f -d --detach --force --checkout --no-checkout --lock --reason: --track --guess-remote -v --porcelain -q --orphan --dry-run -n',
  init: '-q -b: --quiet --initial-branch: --bare --shared?',
  config:
    '--local --get --get-all --list -l --unset --add --bool --int --show-origin --show-scope --type: --name-only --default:',
  'ls-remote': '-h -t -q --heads --tags --refs --quiet --exit-code --get-url --symref --sort:',
  archive: '-v -l --prefix: --list -o> --output> -0 -1 -9 --worktree-attributes',
  'format-patch':
    '-o> --output-directory> -k -n -N -s -v# --stdout --numbered --no-numbered --signoff --cover-letter --base: --subject-prefix: --thread? --no-stat --stat --root -1 -2 -3 -4 -5 --quiet -q',
};

const others = '-v -q -n -f -a --verbose --quiet --dry-run --force --all --list --prune --auto --porcelain';

/** The coverage of a rule for a git subcommand. Read-only ones are not here: programs they would run are switched off. */
export function findGitRunner(name: string): Runner {
  const own = Object.hasOwn(flags, name) ? flags[name] : undefined;
  return { flags: own ?? others, operands: plainAddress, behind: 'any', always: true };
}

/** The first operand, for those commands where it is the action. */
export const gitActions: Readonly<Record<string, RegExp>> = {
  submodule: /^(?:init|update|status|sync|summary|deinit|add|absorbgitdirs|set-branch|set-url)$/,
  bisect: /^(?:start|bad|good|new|old|skip|reset|log|terms|visualize|next)$/,
  config: plainSetting,
  difftool: /^$/,
  mergetool: /^$/,
  'filter-branch': /^$/,
  'send-email': /^$/,
  help: /^$/,
};
