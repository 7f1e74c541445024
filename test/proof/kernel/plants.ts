import { type Allowed, type Given, type JudgeLine, judgeLine } from './judged.ts';

/** A judge with a hole of one class: the fuzzer must find it from its own grammar, or it is blind for that class. */
export interface Plant {
  readonly name: string;
  /** What this judge takes a line for; undefined where the hole does not matter. */
  rewrite(given: Given): string | undefined;
  /** Where the hole is, if not in the layout of the others. */
  readonly layout?: string;
  /** What this judge does not see. */
  readonly blind?: Given['blind'];
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
    rewrite: ({ line }) => without(line, /\beval (?:'[^']*'|[^;&|\n]*)/g),
  },
  {
    name: 'a variable is taken for its last value',
    rewrite: ({ line }) => {
      const [, name = '', value = ''] = /\b([dfxin])=([\w./]+)/.exec(line) ?? [];
      return name === '' ? undefined : line.replace(new RegExp(`\\$\\{?${name}\\}?`, 'g'), value);
    },
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
    rewrite: ({ line }) => {
      const to = /\bcd (a\/b|a|src)\b/.exec(line)?.[1];
      return to === undefined ? undefined : line.replace(/\.\.\//g, '').replace(/ \.\.(?=\s|$)/g, ' .');
    },
  },
  {
    name: 'options that take an output file are not known',
    rewrite: ({ line }) =>
      without(line, / (?:-o ?pwn|--output[= ]pwn|-\w*o pwn|-w pwn|-i\S*|--in-place\S*)(?= |$)/g),
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
    blind: { gitStray: () => undefined },
  })),
  {
    name: 'a link leads where it led before the line began',
    rewrite: ({ line }) => (/\bturn/.test(line) ? line : undefined),
    blind: { way: () => ({ names: [], turns: false }) },
  },
  {
    name: 'what a wrapper runs is not looked at',
    rewrite: ({ line }) => without(line, /(?:\b(?:env|nice|timeout|command|nohup|stdbuf|xargs)\b[^;&|\n]*)/g),
  },
  {
    name: 'a directory counts by its name alone',
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
    name: 'a pattern counts letters where a shell counts bytes',
    rewrite: ({ line }) => {
      const rest = line.replace(/odd\/(?:\?\?|\[!a\]\[!a\]|\[!a\]\?)(?=[\s;|&)]|$)/g, 'odd/none');
      return rest === line ? undefined : rest;
    },
  },
  {
    name: 'a name that is not text is taken for a file',
    rewrite: ({ line }) => {
      const rest = line.replace(/\$'odd\/o\\xff'|odd\/\$'o\\377'|odd\/o\?/g, 'odd/none');
      return rest === line ? undefined : rest;
    },
  },
];

function without(line: string, hidden: RegExp): string | undefined {
  const rest = line.replace(hidden, ' : ');
  return rest === line ? undefined : rest;
}

/** Allows what only the hole lets through, so that whatever the kernel contradicts is found by it. */
export function weaken(plant: Plant): JudgeLine {
  return (given) => {
    const line = plant.rewrite(given);
    if (line === undefined) return undefined;
    const strict = judgeLine(given);
    if (plant.blind) return strict ? undefined : judgeLine({ ...given, blind: plant.blind });
    if (line === given.line) return strict && bare(strict);
    return strict ? undefined : judgeLine({ ...given, line });
  };
}

/** Git then runs with the repository's own settings. */
function bare(allowed: Allowed): Allowed {
  const { neutralise: _, ...decision } = allowed.decision;
  return { ...allowed, decision };
}
