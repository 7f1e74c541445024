import { type Given, type JudgeLine, judgeLine } from './judged.ts';

/**
 * A judge with a hole of one class. `rewrite` is how it misreads a line: what it judges instead of the line itself. The
 * fuzzer must find the hole from its own grammar, or it is blind for that class.
 */
export interface Plant {
  readonly name: string;
  /** The line as this judge sees it; undefined where it sees nothing special. */
  rewrite(given: Given): string | undefined;
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
    // The line is judged as ever, and run without what keeps git from the repository's programs.
    rewrite: ({ line }) => (/\bgit\b/.test(line) ? line : undefined),
  },
  {
    name: 'what a wrapper runs is not looked at',
    rewrite: ({ line }) => without(line, /(?:\b(?:env|nice|timeout|command|nohup|stdbuf|xargs)\b[^;&|\n]*)/g),
  },
];

function without(line: string, hidden: RegExp): string | undefined {
  const rest = line.replace(hidden, ' : ');
  return rest === line ? undefined : rest;
}

/** Judges by the misread line where the plant applies, and keeps nothing else. */
export function weakened(plant: Plant): JudgeLine {
  return (given) => {
    const line = plant.rewrite(given);
    if (line === undefined) return undefined;
    const allowed = judgeLine({ ...given, line });
    if (!allowed) return undefined;
    const { neutralise: _, ...decision } = allowed.decision;
    return { ...allowed, decision: plant.name === 'a repository runs nothing' ? decision : allowed.decision };
  };
}
