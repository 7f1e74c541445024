import { execFile } from 'node:child_process';

/** A program, with the words of its subcommand, and options as in a `ToolSpec`. */
export interface ProbedTool {
  readonly words: readonly string[];
  readonly flags: string;
}

/**
 * The options of which a program of this machine says otherwise than its list whether they take the next word. Each is given as the last
 * word: a program that would take a value complains that there is none.
 */
export async function findWrongArity(
  tools: readonly ProbedTool[],
  place: string,
): Promise<{ wrong: string[]; told: number }> {
  const probes = tools.flatMap(({ words, flags }) =>
    [...new Set(flags.split(' '))].filter((flag) => flag !== '').map((flag) => ({ words, flag })),
  );
  const wrong: string[] = [];
  let told = 0;
  const worker = async () => {
    for (let probe = probes.pop(); probe; probe = probes.pop()) {
      const { words, flag } = probe;
      const line = [...words, flag].join(' ');
      const takes = /[:#<>&]$/.test(flag);
      const said = await run([...words, flag.replace(/[:#<>&?]$/, '')], place);
      const demands = asksForValue.test(said);
      if (demands) told++;
      if (demands !== takes && !isUnsaid.test(said) && !exceptions.has(line)) wrong.push(`${line} | ${said}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return { wrong, told };
}

const asksForValue =
  /requires (?:a value|an argument|a numeric|parameter)|missing (?:an )?(?:argument|value)|takes (?:one|two) parameter|lacks argument|expects a|needs an argument/i;

/** An option that this version does not have, and programs that answer every mistake with the same text. */
const isUnsaid =
  /unknown (?:option|switch)|unrecogni[sz]ed|invalid option|is unknown|^usage: git (?:rev-list|stash show|diff-tree)|^Usage:\s+xxd|required arguments were not provided|wasn't expected|required arguments were/i;

const exceptions: ReadonlySet<string> = new Set([
  // It wants the value joined.
  'git rev-parse --path-format?',
  // The value may be left out at the end of the line.
  'git tag --points-at:',
  // Older versions take the next word, which must be a number.
  ...[1, 2, 3, 4, 5].map((level) => `tree -L${level}`),
]);

function run([program = '', ...words]: readonly string[], cwd: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', LC_ALL: 'C' };
  return new Promise((resolve) => {
    const child = execFile(program, words, { cwd, env, timeout: 20_000 }, (_error, stdout, stderr) =>
      resolve((stderr || stdout).split('\n').slice(0, 2).join('\n')),
    );
    child.stdin?.end();
  });
}
