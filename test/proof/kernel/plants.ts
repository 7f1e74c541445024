import { mapTold, type Told, untold } from '../../../src/lib/told.ts';
import { exploreRole } from '../../../src/permissions/roles.ts';
import type { Below } from '../../../src/places/look.ts';
import { type Allowed, type Given, gitPosture, type Hole, type JudgeLine, judgeLine } from './judged.ts';

/** A judge with a hole of one class: the fuzzer must find it from its own grammar, or it is blind for that class. */
export interface Plant {
  readonly name: string;
  /** What this judge takes a line for; undefined where the hole does not matter. */
  rewrite(given: Given): string | undefined;
  /** Where the hole is, if not in the layout of the others. */
  readonly layout?: string;
  /** How many lines it may take, where chance seldom makes one for it. */
  readonly lines?: number;
  /** What this judge does not know. */
  readonly hole?: Hole;
  /** It takes ten seconds or more to find, which is too long for `npm test`. */
  readonly isLong?: true;
}

export const plants: readonly Plant[] = [
  {
    name: 'a function hides the program of its name',
    rewrite: ({ line }) => {
      const name = /(?:^|[;&|\n(]\s*|function )(\w+) ?\(\)/.exec(line)?.[1];
      return name === undefined ? undefined : ':';
    },
  },
  {
    name: 'what eval runs is not looked at',
    rewrite: ({ line }) => cut(line, /\beval (?:'[^']*'|[^;&|\n]*)/g),
  },
  {
    name: 'a variable is taken for its last value',
    rewrite: ({ line }) => {
      const [, name = '', value = ''] = /\b([dfxin])=([\w./]+)/.exec(line) ?? [];
      return name === '' ? undefined : line.replace(new RegExp(`\\$\\{?${name}\\}?`, 'g'), value);
    },
  },
  {
    name: 'a substitution with a number before it, or behind an array, is taken for text',
    rewrite: ({ line }) =>
      cut(line, /(?:\d+|\{\w+\})[<>]\([^()]*\)|\b\w+\+?=\((?:[^()]|\([^()]*\))*\)[^\s;|&)]+/g),
  },
  {
    name: 'a plain sh is taken for bash',
    rewrite: ({ line }) =>
      /\b(?:sh|dash) -/.test(line)
        ? line.replace(/\b(?:da)?sh(?= -)/g, 'bash').replace(/\[\[[^\n]*?\]\]|\(\([^\n]*?\)\)/g, 'true')
        : undefined,
  },
  {
    name: 'a change of the directory is taken for granted',
    isLong: true,
    rewrite: ({ line }) => {
      const to = /\bcd (a\/b|a|src)\b/.exec(line)?.[1];
      return to === undefined ? undefined : line.replace(/\.\.\//g, '').replace(/ \.\.(?=\s|$)/g, ' .');
    },
  },
  {
    name: 'options that take an output file are not known',
    rewrite: ({ line }) =>
      cut(line, / (?:-o ?pwn|--output[= ]pwn|-\w*o pwn|-w pwn|-i\S*|--in-place\S*)(?= |$)/g),
  },
  {
    name: 'a repository runs nothing',
    // Judged as it is, but run without what keeps git from the repository's programs.
    rewrite: ({ line }) => (/\bgit\b/.test(line) ? line : undefined),
  },
  ...['links-state', 'links-references'].map((layout) => ({
    name: `links in the data of git are not seen (${layout})`,
    rewrite: ({ line }: Given) => (/\bgit\b/.test(line) ? line : undefined),
    layout,
    hole: { blind: () => ({ gitStray: () => undefined }) },
  })),
  {
    name: 'a link leads where it led before the line began',
    rewrite: ({ line }) => (/\bturn/.test(line) ? line : undefined),
    hole: { blind: () => ({ way: () => ({ names: [], turns: false }) }) },
  },
  {
    name: 'what a wrapper runs is not looked at',
    isLong: true,
    rewrite: ({ line }) => cut(line, /(?:\b(?:env|nice|timeout|command|nohup|stdbuf|xargs)\b[^;&|\n]*)/g),
  },
  {
    name: 'a directory counts by its name alone',
    isLong: true,
    rewrite: ({ line }) =>
      /\b(?:rm|mv|cp|find)\b/.test(line) ? line.replace(/\b(?:pkg|app|kept|ci)\b/g, 'docs') : undefined,
  },
  {
    name: 'a rule for a program is one for its files',
    rewrite: ({ line, posture }) =>
      posture.allow
        ? line.replace(/(?:kept\/inner|\.husky|docs\/\.vscode|pkg\/\.git|\.vscode)\/[\w.]+|\.npmrc/g, 'new')
        : undefined,
  },
  {
    name: 'the value of a setting is data, whatever it is',
    isLong: true,
    rewrite: ({ line, posture }) =>
      posture.allow ? line.replace(/\b([A-Z_]+)=(?:'[^']*'|"\$\(echo [^)]*\)+[^"]*")/g, '$1=1') : undefined,
  },
  {
    name: 'a computed word under a rule is an ordinary file',
    isLong: true,
    rewrite: ({ line, posture }) =>
      posture.allow
        ? line.replace(
            /"?(?:\.\/)?\$\((?:echo|printf %s) [^()]*\)"?|"\$[1@]"|"?\$\{a\[[@1]\]\}"?|\.\S*\{\w\.\.\w\}/g,
            'new',
          )
        : undefined,
  },
  {
    name: 'a computed script of sed is an empty one',
    rewrite: ({ line, posture }) =>
      posture.allow && line.includes('sed') ? line.replace(/"\$\(echo [^()]*\)"/g, 'p') : undefined,
  },
  {
    name: 'a pattern between quotes is the name of a file',
    rewrite: ({ line, posture }) =>
      posture.allow && line.includes('git rm') ? line.replace(/'[^']*[*?[][^']*'/g, 'a.txt') : undefined,
  },
  {
    name: 'a pattern counts letters where a shell counts bytes',
    rewrite: ({ line }) => {
      const rest = line.replace(/odd\/(?:\?\?|\[!a\]\[!a\]|\[!a\]\?)(?=[\s;|&)]|$)/g, 'odd/none');
      return rest === line ? undefined : rest;
    },
  },
  {
    name: 'a name that is not text is taken for a file',
    lines: 48_000,
    rewrite: ({ line }) => {
      const rest = line.replace(/\$'odd\/o\\xff'|odd\/\$'o\\377'|odd\/o\?/g, 'odd/none');
      return rest === line ? undefined : rest;
    },
  },
  {
    name: 'an abbreviated or seldom option means nothing',
    rewrite: ({ line, posture }) =>
      posture.allow
        ? cut(
            line,
            / (?:-\w?d ?rec\w*|--rec\w*|--dir[a-z]*[= ]rec\w*|--der\w*|--fil\S*|-w?c sums\.txt|--che\w* sums\.txt)(?= |$)/g,
          )
        : undefined,
    layout: 'plain',
  },
  {
    name: 'a pattern that begins with a dash is the name of a file',
    rewrite: ({ line }) => {
      const rest = line.replace(/(?<=\s)-\S*(?:\[\w\]|\?|\*)\S*/g, 'a.txt');
      return rest === line ? undefined : rest;
    },
    layout: 'option-names',
  },
  {
    name: 'the names of a search are below another place than where it begins',
    rewrite: ({ line }) => {
      const rest = line.replace(
        /\b(find|grep -rl (?:one|'')|rg -l one) (?:linkout|linkfile|hidden|secret)\b/g,
        '$1 docs',
      );
      return rest === line ? undefined : rest;
    },
    layout: 'plain',
  },
  {
    name: 'a pattern never becomes what is above',
    rewrite: ({ line, posture }) =>
      posture.allow ? cut(line, /(?<= )(?:\S*\/)?\.[*?[][^/ ]*\/[^\s']+/g) : undefined,
    layout: 'plain',
  },
  {
    name: 'a name that stands for a connection is a file',
    rewrite: ({ line, posture }) =>
      posture.allow
        ? cut(line, /(?:\/dev\/(?:tcp|udp)|\/inet4?)\/[\w./]+/g)?.replaceAll(' : ', ' a.txt ')
        : undefined,
    layout: 'plain',
  },
  {
    name: 'git looks at nothing but what it keeps',
    rewrite: ({ line }) => cut(line, / --untracked(?= )/g)?.replaceAll(' : ', ' '),
    layout: 'loose',
  },
  {
    name: 'the signs of a path of git mean nothing',
    rewrite: ({ line }) => {
      const rest = line.replace(/ --untracked /, ' ').replace(/:\/\S*|':\(top[^']*'|\.\.(?= |$)/g, 'a.txt');
      return rest === line ? undefined : rest;
    },
    layout: 'around',
  },
  {
    name: 'rules for reading are not known',
    isLong: true,
    rewrite: same,
    hole: { rules: ['Edit(kept)'] },
  },
  {
    name: 'a rule for a directory is one for a file of that name',
    rewrite: ({ line, rules }) => (rules.name.startsWith('directory') ? line : undefined),
    hole: { rules: ['Read(hidden.none)'] },
  },
  {
    name: 'credentials are closed to nobody',
    rewrite: ({ line, posture }) => (posture.role === exploreRole ? line : undefined),
    layout: 'credential-directories',
    hole: { role: { ...exploreRole, secrets: 'open' } },
  },
  {
    name: 'a search comes across no credentials',
    rewrite: ({ line, posture }) => (posture.role === exploreRole ? line : undefined),
    layout: 'credential-directories',
    hole: { blind: ({ below }) => ({ below: (path) => without('credentials', below(path)) }) },
  },
  {
    name: 'a search comes across no links',
    rewrite: same,
    layout: 'credential-links',
    hole: {
      blind: ({ below, vendored }) => ({
        below: (path) => without('links', below(path)),
        vendored: (path) => without('links', vendored(path)),
      }),
    },
  },
  {
    name: 'a search opens nothing by itself',
    rewrite: same,
    layout: 'ignore-links',
    hole: { blind: () => ({ heeded: () => [] }) },
  },
  {
    name: 'every file has one name',
    rewrite: same,
    layout: 'hard-links',
    hole: {
      blind: () => ({
        ...{ sameFile: () => undefined, otherNames: () => undefined },
        ...{ linked: () => [], linkedCredentials: () => [] },
      }),
    },
  },
  {
    name: 'our own keys are files like others',
    rewrite: ({ line, posture }) => (posture.isFree ? line : undefined),
    layout: 'credential-links',
    hole: { home: '/nonexistent' },
  },
  {
    name: 'what is too large to look at is empty',
    isLong: true,
    rewrite: same,
    layout: 'large',
    hole: {
      blind: (look) => ({
        expand: (directory, pattern) => orNothing(look.expand(directory, pattern), []),
        below: (directory) => orNothing(look.below(directory), emptyBelow),
        heeded: (directory, from) => orNothing(look.heeded(directory, from), []),
        linked: (directory) => orNothing(look.linked(directory), []),
        linkedCredentials: (directory) => orNothing(look.linkedCredentials(directory), []),
      }),
    },
  },
  {
    name: 'an index that cannot be read keeps nothing',
    rewrite: ({ line }) => (/\bgit\b/.test(line) ? line : undefined),
    layout: 'sparse',
    hole: { blind: () => ({ tracked: () => [], past: () => ({ paths: [], commits: new Set() }) }) },
  },
  ...['opened-users', 'opened-own', 'opened-refused', 'opened-included', 'opened-names'].map((layout) => ({
    name: `git opens no file by itself (${layout})`,
    rewrite: ({ line }: Given) => (/\bgit\b/.test(line) ? line : undefined),
    layout,
    hole: { blind: () => ({ gitOpens: () => [] }) },
  })),
  {
    name: 'a rule for git is one for each of its subcommands',
    rewrite: ({ line, posture }) =>
      posture === gitPosture ? line.replace(/\bgit [\w-]+[^;|&]*$/, 'git write-tree') : undefined,
    layout: 'clean',
    isLong: true,
  },
  {
    name: "git's configuration makes no file run",
    rewrite: same,
    layout: 'runs',
    hole: { isWithoutGit: true },
  },
];

const emptyBelow: Below = {
  ...{ credentials: [], links: [], inward: [], directories: [], odd: [], unhidden: [] },
};

function same({ line }: Given): string {
  return line;
}

function without<T extends object>(name: keyof T & string, found: Told<T>): Told<T> {
  return mapTold(found, (told) => ({ ...told, [name]: [] }));
}

function orNothing<T>(found: Told<T>, nothing: T): T {
  return found === untold ? nothing : (found as T);
}

function cut(line: string, hidden: RegExp): string | undefined {
  const rest = line.replace(hidden, ' : ');
  return rest === line ? undefined : rest;
}

/** Allows what only the hole lets through, so that whatever the kernel contradicts is found by it. */
export function weaken(plant: Plant): JudgeLine {
  return (given) => {
    const line = plant.rewrite(given);
    if (line === undefined) return undefined;
    const strict = judgeLine(given);
    if (plant.hole) return strict ? undefined : judgeLine({ ...given, hole: plant.hole });
    if (line === given.line) return strict && bare(strict);
    return strict ? undefined : judgeLine({ ...given, line });
  };
}

/** Git then runs with the repository's own settings. */
function bare(allowed: Allowed): Allowed {
  const { neutralise: _, ...decision } = allowed.decision;
  return { ...allowed, decision };
}
