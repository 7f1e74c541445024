/**
 * Settings of a repository that stay as they are when git only reads: they name no program, and no file that git would read,
 * except for those that `settings.ts` and `git-opened.ts` check. All other settings of a repository are emptied for such commands, whatever
 * they mean. In lower case, as git prints them; a star is the name of a branch, a remote, a colour and so on.
 */
const harmless =
  'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode ' +
  'core.symlinks core.autocrlf core.eol core.safecrlf core.trustctime core.checkstat core.quotepath core.abbrev ' +
  'core.compression core.loosecompression core.bigfilethreshold core.sharedrepository core.sparsecheckout ' +
  'core.sparsecheckoutcone core.untrackedcache core.preloadindex core.splitindex core.whitespace ' +
  'core.commentchar core.commentstring core.warnambiguousrefs core.protecthfs core.protectntfs core.longpaths ' +
  'core.fscache core.multipackindex core.commitgraph core.worktree core.fsyncobjectfiles core.restrictinheritedhandles ' +
  'include.path includeif.* extensions.* branch.* remote.* user.* author.* committer.* push.* pull.* fetch.* rebase.* rerere.* init.* clone.* ' +
  'color.* column.* advice.* i18n.* gui.* index.* pack.* gc.* maintenance.* feature.* checkout.* clean.* tag.* tar.* ' +
  'status.* submodule.* url.* http.* https.* worktree.* versionsort.* commit.gpgsign commit.verbose am.* apply.* ' +
  'log.abbrevcommit log.date log.decorate log.follow log.graphcolors log.initialdecorationset log.mailmap ' +
  'log.showroot mailmap.blob grep.linenumber grep.column grep.patterntype ' +
  'grep.extendedregexp grep.threads grep.fullname blame.blankboundary blame.coloring blame.date blame.showemail blame.ignorerevsfile ' +
  'blame.showroot blame.markunblamablelines blame.markignoredlines merge.conflictstyle merge.ff merge.renames ' +
  'merge.renamelimit merge.stat merge.log merge.tool mergetool.keepbackup diff.algorithm diff.autorefreshindex ' +
  'diff.colormoved diff.colormovedws diff.context diff.dirstat diff.indentheuristic diff.interhunkcontext ' +
  'diff.mnemonicprefix diff.noprefix diff.renamelimit diff.renames diff.statgraphwidth diff.statnamewidth ' +
  'diff.suppressblankempty diff.tool diff.wserrorhighlight diff.wordregex diff.ignoresubmodules diff.submodule ' +
  'diff.*.xfuncname diff.*.funcname diff.*.binary diff.*.wordregex diff.*.algorithm diff.*.cachetextconv ' +
  'lfs.repositoryformatversion lfs.*.access lfs.*.locksverify safe.* uploadpack.* receive.* transfer.* protocol.* ' +
  'sequence.* credential.usehttppath fsck.*';

const patterns = harmless
  .split(' ')
  .map((name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's'));

/** Exceptions: settings that match above but are not harmless. */
const programs =
  /\.(?:uploadpack|receivepack|proxy|vcs|\w*hook|cmd|command|textconv|editor|program|helper|update)$/;

export function isHarmlessSetting(name: string): boolean {
  return patterns.some((pattern) => pattern.test(name)) && !programs.test(name);
}
