import type { ProgramSpec, ToolTable } from '../programs/tool-spec.ts';

/**
 * Git subcommands that only read, with their options. They still run programs that the repository's configuration names, so
 * commands allowed by this list run with that configuration neutralized. Left out everywhere: --output, --ext-diff,
 * --textconv, --exec, --upload-pack, --open-files-in-pager, -O, and anything that reaches a network. For options such as -U,
 * -M and --abbrev the value is always joined: the next word is a revision, a path or another option.
 */
const diffFlags =
  '-p -u -s -U? -a -R -z -w -b -W -M? -C? -D -B? -l# -S: -G: -q --patch --no-patch --unified? --raw --patch-with-raw ' +
  '--minimal --patience --histogram --diff-algorithm: --stat? --compact-summary --numstat --shortstat --dirstat? ' +
  '--cumulative --summary --patch-with-stat --name-only --name-status --color? --no-color --color-moved? --word-diff? ' +
  '--word-diff-regex: --color-words? --no-renames --check --full-index --binary --abbrev? --break-rewrites? ' +
  '--find-renames? --find-copies? --find-copies-harder --irreversible-delete --diff-filter: --pickaxe-all ' +
  '--pickaxe-regex --relative? --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change ' +
  '--ignore-all-space --ignore-blank-lines --inter-hunk-context# --function-context --exit-code --quiet ' +
  '--no-ext-diff --no-textconv --ignore-submodules? --src-prefix: --dst-prefix: --no-prefix --cached --staged ' +
  '--merge-base -1 -2 -3 --base --ours --theirs --no-color-moved --color-moved-ws: --no-color-moved-ws ' +
  '--ws-error-highlight: --output-indicator-new: --output-indicator-old: --output-indicator-context: --indent-heuristic ' +
  '--no-indent-heuristic --line-prefix: --ita-invisible-in-index --ita-visible-in-index --no-relative --anchored: ' +
  '--rename-empty --no-rename-empty --default-prefix';

const logFlags =
  `${diffFlags} -n# -g -c -i -E -F -P -L: --cc -m --oneline --pretty? --format? --graph --no-graph --decorate? ` +
  '--no-decorate --decorate-refs: --decorate-refs-exclude: --source --follow --all --branches? --tags? --remotes? --glob: --exclude: --since: ' +
  '--after: --until: --before: --author: --committer: --grep: --all-match --invert-grep --regexp-ignore-case ' +
  '--extended-regexp --fixed-strings --perl-regexp --merges --no-merges --min-parents? --max-parents? --first-parent ' +
  '--reverse --max-count# --skip# --abbrev-commit --no-abbrev-commit --date: --relative-date --topo-order --date-order ' +
  '--author-date-order --boundary --left-right --cherry --cherry-pick --cherry-mark --left-only --right-only --not ' +
  '--ancestry-path --simplify-by-decoration --full-history --dense --sparse --simplify-merges --show-pulls ' +
  '--walk-reflogs --parents --children --notes? --no-notes --shortstat --count --encoding: --log-size --no-walk? ' +
  '--do-walk --no-mailmap --mailmap --use-mailmap --clear-decorations --expand-tabs? --no-expand-tabs --no-diff-merges --combined-all-paths --full-diff';

/** With others git reads submodules, with a git that runs what their own configuration names. */
const submodules = /^(?:all|dirty)$/;

/** Not `%G…`: a signature is checked by a program, by way of temporary files. */
const unsigned = /^(?!.*%[-+ ]?G)/s;

/** Fields that a format may show of references and commits: not `raw`, with which a reference to a file shows the file. */
const atom =
  '(?:refname|objecttype|objectsize|objectname|deltabase|upstream|push|HEAD|color|align|end|if|then|else|symref|worktreepath|' +
  'tree|parent|numparent|object|type|tag|(?:author|committer|tagger|creator)(?:name|email|date)?|subject|body|contents|' +
  'trailers|ahead-behind|is-base)';
const formats = {
  '--format': new RegExp(`^(?:[^%]|%(?!\\()|%\\(\\*?${atom}(?::[^()]*)?\\))*$`, 's'),
  '--sort': new RegExp(`^-?\\*?(?:v(?:ersion)?:)?${atom}(?::[^()]*)?$`, 's'),
};

/** Words after `git reflog`: `show`, and references that are not a subcommand of any version. */
const isReference = /^(?:show|main|master|stash|HEAD.*|.*[/@{}].*)$/;

/** Revisions and paths cannot be told apart from the text; git itself keeps paths inside the repository. */
const show = (why: string, flags: string): ProgramSpec => ({
  ...{ why, flags, operands: 'text', letters: 'leading', numbers: true },
  values: {
    '--ignore-submodules': submodules,
    ...{ '--format': unsigned, '--pretty': unsigned, '--group': unsigned },
  },
});

export const gitCommands: ToolTable = {
  log: show('Prints history.', logFlags),
  show: show('Prints commits and their files.', logFlags),
  // Here -n sorts by number and takes no value.
  shortlog: show(
    'Prints who did what.',
    `${logFlags.replace(' -n# ', ' -n ').replace(' --committer: ', ' ')} -e --summary --numbered --email --group:`,
  ),
  reflog: {
    ...show('Only show and the plain list; expire and delete change the log.', logFlags),
    check: (words) =>
      words.every((word) => word !== undefined && isReference.test(word))
        ? undefined
        : 'it may change the log',
  },
  diff: {
    ...show('Compares. With --no-index it compares any two files; they are judged as read.', diffFlags),
    check: (words) =>
      // Of two, one outside is enough.
      words.length > 1 && words.some((word) => word === undefined || /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word))
        ? 'with a path outside the repository git compares any files'
        : undefined,
  },
  'diff-tree': show('Compares.', `${diffFlags} -r -t -m -c --root --no-commit-id --pretty? --format? --cc`),
  status: show(
    'Prints what changed.',
    '-s -b -v -u? -z --short --branch --show-stash --porcelain? --long --verbose ' +
      '--untracked-files? --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind ' +
      '--renames --no-renames --find-renames? --null',
  ),
  blame: show(
    'Prints who wrote a line. --contents reads any file, so it is left out.',
    '-b -c -l -t -f -n -s -e -w -p -M? -C? -L: --root --show-stats --show-name --show-number --show-email --porcelain ' +
      '--line-porcelain --incremental --no-textconv --since: --date: --abbrev? --color-lines --color-by-age --score-debug --first-parent',
  ),
  annotate: show('Prints who last changed each line.', '-l -t -L: --root --no-textconv'),
  'ls-files': show(
    'Lists files. -X and --exclude-from read any file, so they are left out.',
    '-c -d -m -o -i -s -u -k -z -t -v -f -x: --cached --deleted --modified --others --ignored --stage --directory ' +
      '--no-empty-directory --unmerged --killed --resolve-undo --exclude: --exclude-standard --error-unmatch ' +
      '--full-name --abbrev? --debug --eol --deduplicate --format:',
  ),
  'ls-tree': show(
    'Lists a tree.',
    '-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format:',
  ),
  'cat-file': show(
    'Prints an object. --textconv and --filters run programs and are left out.',
    '-t -s -e -p --batch? --batch-check?',
  ),
  'rev-parse': show(
    'Prints names of revisions and places.',
    '-q --verify --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? ' +
      '--show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree ' +
      '--is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree --since? ' +
      '--until? --not --revs-only --no-revs --flags --no-flags --default: --show-object-format --path-format? --git-path:',
  ),
  'rev-list': show(
    'Lists commits.',
    `${logFlags} --objects --disk-usage --use-bitmap-index --no-commit-header --header --timestamp --missing?`,
  ),
  'merge-base': show(
    'Prints a common ancestor.',
    '-a --all --octopus --independent --is-ancestor --fork-point',
  ),
  'name-rev': show(
    'Names a revision.',
    '--tags --refs: --exclude: --all --name-only --no-undefined --always',
  ),
  describe: show(
    'Names a revision. --dirty writes the index, whatever is set against it, and --broken starts another git.',
    '--all --tags --contains --abbrev? --candidates# --exact-match --long --match: --exclude: --always --first-parent',
  ),
  'for-each-ref': {
    ...show(
      'Lists references.',
      '--count# --sort: --format: --color? --points-at: --merged? --no-merged? --contains? --no-contains? --ignore-case --omit-empty --exclude:',
    ),
    values: formats,
  },
  'show-ref': show(
    'Lists references.',
    '-d -s -q --head --heads --tags --branches --dereference --hash? --verify --abbrev? --quiet',
  ),
  'symbolic-ref': {
    ...show('Prints where a reference leads; a second operand would set it.', '-q --short --quiet'),
    most: 1,
  },
  fsck: show(
    'Checks objects. --lost-found writes them into files.',
    '-v --unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --full --no-full --strict --verbose ' +
      '--connectivity-only --progress --no-progress --name-objects',
  ),
  'count-objects': show('Counts.', '-v -H --verbose --human-readable'),
  'check-ignore': show('Tells what is ignored.', '-q -v -n -z --quiet --verbose --non-matching --no-index'),
  'check-attr': show('Tells attributes.', '-a -z --all --cached'),
  'check-ref-format': show('Checks a name.', '--branch --allow-onelevel'),
  cherry: show('Lists commits.', '-v --abbrev?'),
  'diff-files': show('Compares.', diffFlags),
  'diff-index': show('Compares.', diffFlags),
  'range-diff': show('Compares.', `${diffFlags} --no-dual-color --creation-factor# --left-only --right-only`),
  'show-branch': show(
    'Prints branches.',
    '-a -r --all --remotes --current --topo-order --list --sha1-name --no-name',
  ),
  var: {
    ...show('Prints who would be named in a commit.', ''),
    check: ([word, ...others]) =>
      others.length === 0 && /^GIT_(?:AUTHOR|COMMITTER)_IDENT$/.test(word ?? '') ? undefined : 'not known',
  },
  grep: {
    ...show(
      'Searches. -O opens a program, --no-index and -f read any file; they are left out.',
      '-i -I -v -w -E -F -G -P -n -l -L -c -h -H -o -q -z -p -W -a -e: -A# -B# -C# -m# --cached --untracked --text ' +
        '--ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp ' +
        '--fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --count ' +
        '--color? --no-color --break --heading --show-function --function-context --context# --after-context# ' +
        '--before-context# --max-depth# --max-count# --and --or --not --all-match --quiet --only-matching --null',
    ),
  },
};

/** Subcommands that only read with the right operands. The first operand is their own subcommand, or there is none. */
export const gitListings: ToolTable = {
  branch: {
    ...show(
      'Only to list: with a name and without one of these it makes a branch.',
      '-a -r -l -v -q --all --remotes --list --verbose --show-current --contains? --no-contains? --merged? ' +
        '--no-merged? --points-at: --sort: --format: --color? --no-color --abbrev? --column? --ignore-case --omit-empty',
    ),
    values: formats,
  },
  tag: {
    ...show(
      'Only to list.',
      '-l -n? --list --contains? --no-contains? --merged? --no-merged? --points-at: --sort: --format: --color? --column? --ignore-case',
    ),
    values: formats,
  },
  remote: {
    ...show(
      'Only names, addresses and get-url; show with a name asks the other machine, unless -n says not to.',
      '-v -n --verbose --all --push',
    ),
    check: (words) => (words.includes(undefined) ? 'a computed operand' : undefined),
  },
  config: {
    ...show(
      'One setting without a secret. Others may contain tokens (http.extraHeader), so lists are asked about.',
      '-z --get --get-all --global --local --system --worktree --show-origin --show-scope ' +
        '--null --includes --no-includes --type: --bool --int --path --default:',
    ),
    check: ([key, ...others]) =>
      key !== undefined && others.length === 0 && openSettings.test(key)
        ? undefined
        : 'it may show a secret or change a setting',
  },
  clean: {
    ...show(
      'Lists what it would remove. -i asks for what to remove, and without -n it removes.',
      '-d -f -n -q -x -X --force --dry-run --quiet',
    ),
    requires: '-n --dry-run',
  },
  stash: { ...show('Only list and show.', logFlags) },
  worktree: { ...show('Only list.', '-v -z --porcelain --verbose') },
  notes: { ...show('Only list and show.', '--ref:') },
  archive: {
    ...show('Only the list of formats.', '-l --list'),
    check: (words) => (words.length === 0 ? undefined : 'it prints or writes an archive'),
  },
};

/** Settings without secrets. An address may contain a password, as `git remote -v` shows it: it is masked in results. */
const openSettings = new RegExp(
  `^(?:${[
    'user\\.(?:name|email|useconfigonly)',
    '(?:author|committer)\\.(?:name|email)',
    'init\\.defaultbranch',
    'core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|symlinks|autocrlf|eol|safecrlf|' +
      'quotepath|abbrev|sharedrepository|sparsecheckout|sparsecheckoutcone|whitespace|editor|pager|hookspath|' +
      'excludesfile|attributesfile|worktree|untrackedcache|fsmonitor|precomposeunicode|longpaths|commentchar)',
    'branch\\..+\\.(?:remote|merge|rebase|pushremote)',
    'remote\\..+\\.(?:url|pushurl|fetch|push)',
    'remote\\.pushdefault',
    '(?:pull|fetch|push|merge|rebase|rerere|diff|color|column|status|log|tag|index|extensions)\\.[a-z]+',
    'commit\\.(?:gpgsign|template|verbose)',
    'submodule\\..+\\.(?:path|url|branch)',
  ].join('|')})$`,
  'i',
);

/** The required first operand of a listing. `none`: there is none. */
export const gitListingOperands: Readonly<Record<string, RegExp>> = {
  remote: /^(?:none|get-url|show)$/,
  stash: /^(?:list|show)$/,
  worktree: /^list$/,
  notes: /^(?:none|list|show)$/,
};

/** With one of these a branch or tag command lists, whatever its operands. */
export const gitListFlags: ReadonlySet<string> = new Set(
  '-l --list --contains --no-contains --merged --no-merged --points-at --show-current -n'.split(' '),
);

/** `git diff --no-index` compares files of any place, each named by an operand. */
export const gitCompareFiles: ProgramSpec = {
  ...show('Compares two files or directories.', `${diffFlags} --no-index`),
  operands: 'paths',
  opensDirectories: true,
};
