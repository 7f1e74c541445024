/**
 * What is known of a git subcommand, besides the options by which it only reads (`git.data.ts`):
 *
 * - `local`: it works in its own repository alone. `fetches`: of another one it only reads. `address`: its first operand names
 *   the other one, and the rest are references.
 * - `changes`: it changes the files that its operands name. `stores`: it stores them.
 * - `quiet`: it prints at most names and counts, unless an option says otherwise.
 * - `names`: its operands are revisions, branches, remotes and files. `messages`: it takes messages.
 * - `compares`: it prints differences, and may write them to a file. `places`: it takes a place to write to.
 * - `texts`: no operand is a file that is not judged by other means.
 * - `keeps`: it leaves the checkout as it is. `hooks`: it does so, but runs hooks.
 * - `store`: it changes no file of the checkout that its words do not name. `unfiltered`: under no option does it look at the
 *   index or at files, so that no monitor, filter or driver that the repository sets runs; seen with real git.
 * - `sets`: it changes settings, which name other repositories.
 * - `spelled`: only a rule that spells the subcommand covers it.
 */
export type GitTrait =
  | 'local'
  | 'address'
  | 'fetches'
  | 'changes'
  | 'quiet'
  | 'names'
  | 'messages'
  | 'compares'
  | 'places'
  | 'stores'
  | 'texts'
  | 'keeps'
  | 'hooks'
  | 'sets'
  | 'store'
  | 'unfiltered'
  | 'spelled';

export interface GitSubcommand {
  readonly is: ReadonlySet<GitTrait>;
  /** Options that run no program named in the text; of those in `git.data.ts` others count. */
  readonly flags: string;
  /** For those that would run a program by another word: what the first operand may be; empty without one. */
  readonly actions?: RegExp;
}

/** Undefined for a subcommand of which nothing is known: an alias, a helper, one that another package brings. */
export function findGitSubcommand(name: string): GitSubcommand | undefined {
  return Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
}

export function gitIs(name: string, trait: GitTrait): boolean {
  return findGitSubcommand(name)?.is.has(trait) === true;
}

/** Options that run no program, of any subcommand. */
export function findGitFlags(name: string): string {
  return findGitSubcommand(name)?.flags ?? plain;
}

const plain = '-v -q -n -f -a --verbose --quiet --dry-run --force --all --list --prune --auto --porcelain';

const fetch =
  '-a -f -k -n -p -q -t -v --all --append --depth# --deepen# --shallow-since: --unshallow --force --keep --prune --prune-tags ' +
  '--no-tags --tags --quiet --verbose --dry-run --progress --recurse-submodules? --no-recurse-submodules --atomic --jobs# -j# --multiple --filter:';
const pick =
  '-x -n -e -m# --no-commit --edit --no-edit --continue --abort --skip --quit --mainline# -s --signoff --ff --allow-empty --keep-redundant-commits -X: --strategy-option:';
const switching =
  '-b: -B: -c: -C: -f -q -t -d -m -p --track? --no-track --detach --force --quiet --ours --theirs --merge --patch --orphan: ' +
  '--create: --force-create: --guess --no-guess --discard-changes --progress';

const adding =
  '-A -u -v -n -f -p -i -N --all --update --verbose --dry-run --force --patch --intent-to-add --no-all --renormalize --chmod:';

/** Not `foreach`, which runs what follows. Without a word it is `status`. */
const submoduleActions = /^(?:|init|update|status|sync|summary|deinit|add|absorbgitdirs|set-branch|set-url)$/;
/** Not `run`, nor `visualize`, which runs what follows where its name begins with `git`. */
const bisectActions = /^(?:start|bad|good|new|old|skip|reset|log|terms|next)$/;
/** Settings that neither run a program nor name a file. */
const plainSetting =
  /^(?:user\.(?:name|email)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|color\..+|fetch\.prune|rebase\.auto(?:squash|stash)|branch\.[\w./-]+\.(?:remote|merge|rebase)|commit\.gpgsign|advice\..+|core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|longpaths))$/i;

function row(traits: string, flags = plain, actions?: RegExp): GitSubcommand {
  const is = new Set(traits.split(' ').filter((one): one is GitTrait => one !== ''));
  return { is, flags, ...(actions ? { actions } : {}) };
}

/**
 * All that a rule for git covers. Not here, so that only a rule that spells them does: those that run a program which their
 * words, their input or the user's settings name (`merge-index`, `remote-ext`, `submodule--helper`, `for-each-repo`,
 * `difftool`, `mergetool`, `filter-branch`, `credential`, `hook`, `help`, `send-email`), that serve or speak for another
 * machine (`daemon`, `shell`, `upload-pack`), and all that git does not bring itself.
 */
const subcommands: Readonly<Record<string, GitSubcommand>> = {
  add: row('local quiet names stores keeps', adding),
  am: row('local quiet names'),
  annotate: row(''),
  apply: row('local names'),
  archive: row('fetches places store', '-v -l --prefix: --list -o> --output> -0 -1 -9 --worktree-attributes'),
  bisect: row('local quiet', plain, bisectActions),
  blame: row('local names texts keeps'),
  branch: row(
    'local quiet names keeps store unfiltered',
    '-a -d -D -f -l -m -M -c -C -r -v -vv -u: -t -q --all --delete --force --list --move --copy --remotes --verbose --set-upstream-to: ' +
      '--unset-upstream --show-current --sort: --contains --merged --no-merged --format: --track? --no-track --points-at: --quiet',
  ),
  bugreport: row('places store'),
  bundle: row('fetches store unfiltered'),
  'cat-file': row('local names store'),
  'check-attr': row(''),
  'check-ignore': row(''),
  'check-mailmap': row('store unfiltered'),
  'check-ref-format': row('store unfiltered'),
  checkout: row('local changes quiet names', switching),
  'checkout-index': row(''),
  cherry: row('texts store unfiltered'),
  'cherry-pick': row('local quiet names texts', pick),
  clean: row('local changes quiet names', '-d -f -i -n -q -x -X -e: --force --dry-run --quiet --interactive'),
  clone: row(
    'address fetches changes quiet names unfiltered',
    '-q -v -n -b: -l -o: --depth# --branch: --single-branch --no-single-branch --no-tags --recurse-submodules? ' +
      '--shallow-submodules --bare --mirror --quiet --verbose --progress --filter: --no-checkout --origin: --jobs# -j# --sparse --no-hardlinks --local',
  ),
  column: row('store unfiltered'),
  commit: row(
    'local quiet names messages stores hooks',
    '-a -m: -s -v -q -n -p -e -S? -C: -F< --all --message: --amend --no-edit --edit --signoff --no-verify --verbose --quiet ' +
      '--allow-empty --allow-empty-message --author: --date: --fixup: --squash: --dry-run --short --porcelain --only --include ' +
      '--reset-author --no-gpg-sign --patch --trailer: --no-post-rewrite --cleanup: --file< --no-status --status',
  ),
  'commit-graph': row('store unfiltered'),
  'commit-tree': row('store unfiltered'),
  config: row(
    'local quiet texts keeps sets store unfiltered',
    '--local --get --get-all --list -l --unset --add --bool --int --show-origin --show-scope --type: --name-only --default:',
    plainSetting,
  ),
  'count-objects': row('store unfiltered'),
  describe: row('local names texts keeps'),
  diagnose: row('places store'),
  diff: row('local names compares texts keeps'),
  'diff-files': row('compares'),
  'diff-index': row('compares'),
  'diff-tree': row('compares store'),
  'fast-export': row('store unfiltered'),
  'fast-import': row('store'),
  fetch: row('address fetches quiet names keeps store', fetch),
  'fetch-pack': row('address fetches spelled store'),
  'fmt-merge-msg': row('store'),
  'for-each-ref': row('local texts store unfiltered'),
  'format-patch': row(
    'local places store',
    '-o> --output-directory> -k -n -N -s -v# --stdout --numbered --no-numbered --signoff --cover-letter --base: --subject-prefix: --thread? --no-stat --stat --root -1 -2 -3 -4 -5 --quiet -q',
  ),
  fsck: row('store'),
  gc: row('local quiet keeps store'),
  'get-tar-commit-id': row('store unfiltered'),
  grep: row('local names texts'),
  'hash-object': row(''),
  'index-pack': row('store unfiltered'),
  init: row(
    'local changes quiet names store unfiltered',
    '-q -b: --quiet --initial-branch: --bare --shared?',
  ),
  'interpret-trailers': row('store unfiltered'),
  log: row('local names compares texts keeps store'),
  'ls-files': row('local names texts'),
  'ls-remote': row(
    'address fetches texts store unfiltered',
    '-h -t -q --heads --tags --refs --quiet --exit-code --get-url --symref --sort:',
  ),
  'ls-tree': row('local store unfiltered'),
  mailinfo: row('store unfiltered'),
  mailsplit: row('store unfiltered'),
  maintenance: row('quiet spelled store'),
  merge: row(
    'local quiet names messages texts',
    '--ff --no-ff --ff-only --squash --no-squash --commit --no-commit -m: --abort --continue --quit --no-edit --edit -e --stat -n ' +
      '--no-stat -q -v --allow-unrelated-histories -X: --strategy-option: --no-verify --signoff --autostash --log? --verify-signatures',
  ),
  'merge-base': row('local texts store unfiltered'),
  'merge-file': row(''),
  'merge-tree': row('store'),
  mktag: row('store unfiltered'),
  mktree: row('store unfiltered'),
  'multi-pack-index': row('store'),
  mv: row('local changes quiet names', '-f -k -n -v --force --dry-run --verbose'),
  'name-rev': row('texts store unfiltered'),
  notes: row('local names messages keeps store unfiltered'),
  'pack-objects': row('store'),
  'pack-redundant': row('store unfiltered'),
  'pack-refs': row('store unfiltered'),
  'patch-id': row('store unfiltered'),
  prune: row('local quiet store'),
  'prune-packed': row('store'),
  pull: row(
    'address fetches quiet names texts',
    `${fetch} --rebase? -r? --ff-only --no-rebase --ff --no-ff --autostash --no-autostash --no-edit --squash --commit --no-commit --stat --allow-unrelated-histories -X:`,
  ),
  push: row(
    'address quiet names hooks store unfiltered',
    '-u -f -n -q -v -d -o: --set-upstream --force --force-with-lease? --force-if-includes --dry-run --quiet --verbose --tags ' +
      '--follow-tags --all --delete --prune --atomic --no-verify --porcelain --progress --no-progress --mirror',
  ),
  'range-diff': row('compares texts store'),
  'read-tree': row(''),
  rebase: row(
    'local quiet texts',
    '-i -q -v -f -r? --interactive --continue --abort --skip --quit --autosquash --no-autosquash --autostash --no-autostash ' +
      '--onto: --root --keep-empty --no-keep-empty --update-refs --rebase-merges? --force-rebase --no-ff --reset-author-date ' +
      '--committer-date-is-author-date --ignore-date --stat --no-stat --verbose --quiet --edit-todo --show-current-patch ' +
      '--no-verify --fork-point --keep-base --empty: -X: --strategy-option:',
  ),
  reflog: row('local names compares texts keeps store'),
  remote: row(
    'fetches quiet names texts keeps sets store',
    '-v --verbose -f -t: -m: --tags --no-tags --prune --push --add --delete --all',
  ),
  repack: row('store'),
  replace: row('store unfiltered'),
  rerere: row(''),
  reset: row('local quiet names texts', '--soft --mixed --hard --merge --keep -q -p -N --quiet --patch'),
  restore: row(
    'local changes quiet names',
    '-s: -S -W -p -q --source: --staged --worktree --patch --quiet --ours --theirs --merge --progress',
  ),
  'rev-list': row('local texts store unfiltered'),
  'rev-parse': row('local names texts store'),
  revert: row('local quiet names messages texts', pick),
  rm: row('local changes quiet names', '-r -f -n -q --cached --force --dry-run --quiet --ignore-unmatch'),
  'send-pack': row('address spelled store'),
  shortlog: row('local names compares texts store'),
  show: row('local names compares texts keeps store'),
  'show-branch': row('store unfiltered'),
  'show-index': row('store unfiltered'),
  'show-ref': row('local texts store unfiltered'),
  'sparse-checkout': row('local quiet'),
  stage: row('local stores', adding),
  stash: row(
    'local names messages compares',
    '-u -a -k -p -q -m: -S --include-untracked --all --keep-index --no-keep-index --patch --quiet --message: --staged --index --stat',
  ),
  status: row('local quiet names texts keeps'),
  stripspace: row('store unfiltered'),
  submodule: row(
    'fetches',
    '--init --recursive --remote --depth# -f --force -q --quiet -j# --jobs# --checkout --rebase --merge --no-fetch ' +
      '--recommend-shallow --single-branch -b: --name: --all --cached',
    submoduleActions,
  ),
  switch: row('local quiet names texts', switching),
  'symbolic-ref': row('local store unfiltered'),
  tag: row(
    'local quiet names messages stores keeps store unfiltered',
    '-a -s -d -f -l -m: -n? --annotate --sign --delete --force --list --message: --sort: --contains --points-at --format: --cleanup: --no-sign -F< --merged --no-merged',
  ),
  'unpack-file': row('store'),
  'unpack-objects': row('store unfiltered'),
  'update-index': row('local quiet'),
  'update-ref': row('local quiet store unfiltered'),
  'update-server-info': row('store unfiltered'),
  var: row('store unfiltered'),
  'verify-commit': row('store'),
  'verify-pack': row('store unfiltered'),
  'verify-tag': row('store'),
  version: row('store unfiltered'),
  whatchanged: row('compares store'),
  worktree: row(
    'local changes quiet names',
    '-b: -B: -f -d --detach --force --checkout --no-checkout --lock --reason: --track --guess-remote -v --porcelain -q --orphan --dry-run -n',
  ),
  'write-tree': row(''),
};
