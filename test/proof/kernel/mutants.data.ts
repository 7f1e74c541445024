/** A mistake in the judge itself, as a change of its text: the oracle must contradict what such a judge allows. */
export interface JudgeMutant {
  readonly name: string;
  /** Below `src/`. */
  readonly file: string;
  /** In the file once. */
  readonly from: string;
  readonly to: string;
  /** Where it is to be seen; the fewer, the sooner. */
  readonly layouts: readonly string[];
}

export const judgeMutants: readonly JudgeMutant[] = [
  {
    name: 'the address of a push is what it was before the line began',
    ...{ file: 'shell/judge/judge-repositories.ts', layouts: ['brought'] },
    from: 'const later = foresee(addresses, given.before.get(one) ?? []);',
    to: 'const later = foresee(addresses, []);',
  },
  {
    name: 'a pathspec is the name of a file',
    ...{ file: 'shell/git/pathspecs.ts', layouts: ['clean'] },
    from: "if (!text.startsWith(':')) return",
    to: 'if (text.length > 0) return',
  },
  {
    name: 'a rule for git is one for what the repository sets',
    ...{ file: 'shell/judge/git-programs.ts', layouts: ['programs'] },
    from: 'if (found)',
    to: "if (found?.setting === '')",
  },
  {
    name: 'a directory of a commit is compared with that directory alone',
    ...{ file: 'shell/git/shows.ts', layouts: ['changed', 'nameless'] },
    from: "kinds?.every((kind) => kind === 'blob') ? git",
    to: 'kinds ? git',
  },
  {
    name: 'reading a sparse index only reads',
    ...{ file: 'workspace/git/stays.ts', layouts: ['sparse'] },
    from: 'if (view.expandsIndex && view.isSparse?.(root))',
    to: "if (view.expandsIndex && root === '')",
  },
  {
    name: 'a copy takes links as links',
    ...{ file: 'shell/judge/carried.ts', layouts: ['plain'] },
    from: "carries.follows === 'all' || followsLinks(script, one)",
    to: 'followsLinks(script, one)',
  },
  {
    name: 'the parser overlooks nothing',
    ...{ file: 'shell/grammar/parse-text.ts', layouts: ['plain'] },
    from: 'if (rest === undefined) return script;',
    to: "if (rest !== '') return script;",
  },
  {
    name: 'the name of a tag is never an option',
    ...{ file: 'shell/git/revisions.ts', layouts: ['dashed'] },
    from: "  'merge-base': { options:",
    to: "  tag: { options: /^$/, count: () => true, many: true },\n  'merge-base': { options:",
  },
  {
    name: 'a short id is the commit that it was printed for',
    ...{ file: 'shell/git/revisions.ts', layouts: ['misnamed'] },
    from: 'if (revisions.isShort)',
    to: "if (revisions.from === '')",
  },
  {
    name: 'there always is a revision before the text behind it',
    ...{ file: 'shell/git/revisions.ts', layouts: ['dashed'] },
    from: "behind !== '' &&",
    to: "behind === 'nothing' &&",
  },
  {
    name: 'git may be given any setting',
    ...{ file: 'shell/git/plain-settings.ts', layouts: ['programs'] },
    from: 'plainSettings.some((form) => form.test(text))',
    to: 'plainSettings.length > 0',
  },
  {
    name: 'an option of an allowed reader that is not in its table reads nothing more',
    ...{ file: 'shell/rules/granted-reads.ts', layouts: ['plain'] },
    from: 'return looseReads(name, words);',
    to: 'return [];',
  },
  {
    name: 'a part of a pattern never becomes ..',
    ...{ file: 'shell/grammar/upward.ts', layouts: ['plain'] },
    from: "[part, '.', '..']",
    to: '[part]',
  },
  {
    name: 'a connection is a file like others',
    ...{ file: 'shell/judge/judge-use.ts', layouts: ['plain'] },
    from: "cover !== 'everything')",
    to: "cover === 'nothing' && !given)",
  },
  {
    name: 'git searches nothing beside what it keeps',
    ...{ file: 'shell/git/git.ts', layouts: ['loose'] },
    from: "name === 'grep' && git.untracked ?",
    to: "name === 'grep' && !git ?",
  },
  {
    name: 'a search elsewhere finds nothing that is ours',
    ...{ file: 'shell/judge/judge-possible.ts', layouts: ['plain'] },
    from: '    ...judgeSearches(given, script),\n',
    to: '',
  },
  {
    name: 'names that are too many to look at are fine',
    ...{ file: 'shell/judge/judge-look.ts', layouts: ['large', 'plain'] },
    from: 'if (opened === untold)\n    return ask(',
    to: 'if (opened === untold) return decision;\n  if (!opened)\n    return ask(',
  },
  {
    name: 'an id that no branch leads to counts like one on record',
    ...{ file: 'shell/git/history.ts', layouts: ['nameless'] },
    from: 'return ids.every((id) =>',
    to: 'return ids.length > 0 || ids.every((id) =>',
  },
  {
    name: 'whatever tr makes of plain text is plain',
    ...{ file: 'shell/walk/plain-output.ts', layouts: ['plain'] },
    from: 'tr: /^-d .?[^ ]*$/,',
    to: 'tr: /^/,',
  },
  {
    name: 'a number is no file of a filter',
    ...{ file: 'shell/walk/plain-output.ts', layouts: ['plain'] },
    from: 'tac: /^$/,',
    to: 'tac: /^\\d*$/,',
  },
  {
    name: 'curl -H @file reads no file',
    ...{ file: 'shell/rules/granted-curl.ts', layouts: ['plain'] },
    from: 'if (/^(?:-H|--header|-d|',
    to: 'if (/^(?:-d|',
  },
  {
    name: 'of two -I of xargs the first counts',
    ...{ file: 'shell/walk/xargs.ts', layouts: ['plain'] },
    from: 'if (given.has(name)) return',
    to: 'if (given.has(name)) continue;\n      if (!name) return',
  },
  {
    name: 'xargs with -I and -n still puts items in place',
    ...{ file: 'shell/walk/xargs.ts', layouts: ['plain'] },
    from: 'exclusive.length > 1',
    to: 'exclusive.length > 2',
  },
  {
    name: 'git diff -q shows nothing',
    ...{ file: 'shell/git/shows.ts', layouts: ['changed', 'staged'] },
    from: '(?:-s|--no-patch|--stat',
    to: '(?:-s|-q|--no-patch|--stat',
  },
  {
    name: '<> only writes',
    ...{ file: 'shell/grammar/read-command.ts', layouts: ['plain'] },
    from: "      { access: 'read', target },\n",
    to: '',
  },
  {
    name: 'an option of git that is not known lifts deny rules',
    ...{ file: 'shell/git/rules.ts', layouts: ['changed', 'clean'] },
    from: 'one.effect.known ? one.effect.git : findUnread(one)',
    to: 'one.effect.known ? one.effect.git : undefined',
  },
  {
    name: 'notes show nothing',
    ...{ file: 'shell/git/history.ts', layouts: ['noted'] },
    from: 'if (git.showsNotes && look.hasNotes(place))',
    to: 'if (git.showsNotes && !place)',
  },
  {
    name: 'what was kept on another branch is forgotten',
    ...{ file: 'shell/git/rules.ts', layouts: ['elsewhere', 'stashed'] },
    from: ' || past.some(isShown(rule))',
    to: '',
  },
  {
    name: 'a stash shows nothing',
    ...{ file: 'shell/git/shows.ts', layouts: ['stashed'] },
    from: "return isPatch || (flags.size > 0 && !isSummary) ? 'contents' : 'nothing';",
    to: "return 'nothing';",
  },
  {
    name: 'behind -- are paths, whatever the subcommand',
    ...{ file: 'shell/git/shows.ts', layouts: ['stashed'] },
    from: 'limitedByPaths.has(name) ?',
    to: "limitedByPaths.has(name) || name !== '' ?",
  },
  {
    name: 'an option that takes the next word takes none',
    ...{ file: 'shell/tables/git.data.ts', layouts: ['changed'] },
    from: '--encoding: ',
    to: '--encoding? ',
  },
  {
    name: 'a program to compare with is no reason to ask',
    ...{ file: 'shell/git/shows.ts', layouts: ['programs'] },
    from: "name === 'diff' && !flags.has('--no-ext-diff')",
    to: "name === 'none' && !flags.has('--no-ext-diff')",
  },
  {
    name: 'sed may read a file into its output',
    ...{ file: 'shell/programs/sed.ts', layouts: ['plain'] },
    from: "if (command === 's') return",
    to: "if (command === 'r' || command === 'R') return reader.line() !== '';\n  if (command === 's') return",
  },
  {
    name: 'find may remove',
    ...{ file: 'shell/programs/find.ts', layouts: ['plain'] },
    from: 'if (count === undefined) {',
    to: "if (text === '-delete') continue;\n    if (count === undefined) {",
  },
  {
    name: 'after ; a directory is that of the chain before',
    ...{ file: 'shell/walk/directories.ts', layouts: ['plain'] },
    from: 'const all = [...new Set([...a, ...b])];',
    to: 'const all = [...new Set(b)];',
  },
  {
    name: 'test may evaluate a subscript',
    ...{ file: 'shell/programs/test-builtin.ts', layouts: ['plain'] },
    from: "text === '-v' || text === '-R'",
    to: "text === '-R'",
  },
  {
    name: 'a plain sh reads [[ as bash does',
    ...{ file: 'shell/grammar/dialect.ts', layouts: ['plain'] },
    from: "    case 'TestCommand':\n      return '[[ … ]]';\n",
    to: '',
  },
  {
    name: 'a search that follows links meets none',
    ...{ file: 'shell/judge/met-below.ts', layouts: ['plain', 'credential-links'] },
    from: 'mapTold(look.below(directory), (below) => below.links),\n    mapTold(look.vendored(directory), (vendored) => vendored.links),\n  );\n  return sift',
    to: 'mapTold(look.below(directory), () => [] as string[]),\n    mapTold(look.vendored(directory), (vendored) => vendored.links),\n  );\n  return sift',
  },
  {
    name: 'strings takes no names from a file',
    ...{ file: 'shell/rules/granted.ts', layouts: ['plain'] },
    from: 'spec.inert || onlyReaders.has(name)',
    to: "spec.inert || name === 'strings' || onlyReaders.has(name)",
  },
  {
    name: 'jq finds its modules nowhere',
    ...{ file: 'shell/rules/granted.ts', layouts: ['plain'] },
    from: "name === 'jq' &&",
    to: "name === 'none' &&",
  },
  {
    name: 'files of git hold nothing of others',
    ...{ file: 'workspace/git/object-stores.ts', layouts: ['elsewhere', 'stashed'] },
    from: 'return holdsContent(path, store) ? store : undefined;',
    to: 'return holdsContent(path, store) && store.path === "" ? store : undefined;',
  },
  {
    name: "a search never enters git's data",
    ...{ file: 'shell/judge/met-stores.ts', layouts: ['elsewhere', 'stashed'] },
    from: 'const stores = sweep.tracked ? [] :',
    to: 'const stores = sweep ? [] :',
  },
  {
    name: 'what find finds is below the directory that it runs in',
    ...{ file: 'shell/programs/find.ts', layouts: ['plain'] },
    from: 'starts.length === 0 ? own :',
    to: 'starts.length < 9 ? own :',
  },
  {
    name: 'git reads the repository around a link to a directory',
    ...{ file: 'shell/git/moves.ts', layouts: ['led', 'behind'] },
    from: 'return isFollowed(path, real) ? real : path;',
    to: "return real === '' ? real : path;",
  },
  {
    name: 'a file of a revision limits what names all references',
    ...{ file: 'shell/git/shows.ts', layouts: ['changed', 'elsewhere'] },
    from: 'limitedByObjects.has(name) && !namesReferences(flags) ?',
    to: 'limitedByObjects.has(name) ?',
  },
  {
    name: 'a range that begins with a file is that file',
    ...{ file: 'shell/git/shows.ts', layouts: ['changed', 'elsewhere'] },
    from: ".includes('..')) return undefined;",
    to: ".includes('...')) return undefined;",
  },
  {
    name: 'attributes are read only where git keeps them',
    ...{ file: 'places/git-opened.ts', layouts: ['opened-beside'] },
    from: '...beside.filter(mayBeAnother)',
    to: "...beside.filter((path) => path === '')",
  },
  {
    name: 'a type of ripgrep takes no hidden file',
    ...{ file: 'shell/judge/met-below.ts', layouts: ['dotted'] },
    from: '(index === parts.length - 1 && fitsAny(dotted, part))',
    to: '(index < 0 && fitsAny(dotted, part))',
  },
  {
    name: 'a pattern of ripgrep is what its text says',
    ...{ file: 'shell/programs/sweeps-ripgrep.ts', layouts: ['plain'] },
    from: '\\s$/.test(glob) ? untold : glob;',
    to: '\\s$/.test(glob) && text === untold ? untold : text;',
  },
  {
    name: 'an ignore file has no alternatives',
    ...{ file: 'places/unhidden.ts', layouts: ['ignore-back'] },
    from: "if (pattern?.includes('{'))",
    to: "if (pattern === '{')",
  },
];
