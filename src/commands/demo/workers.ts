import { join } from 'node:path';
import type { ModelRequest } from '../../protocol/index.ts';
import { call, calls, expecting, hang, say } from '../../testing/index.ts';
import { type CastLine, type Cues, readWorkingDirectory, told } from './cast.ts';

/** The first line of each worker's prompt: its purpose, by which the script recognizes it. */
export const purposes = {
  formula: 'Purpose: I will specify a fix from your report, so I need exact lines.',
  program: 'Purpose: I will add a unit here, so I need to know where.',
  tests: 'Purpose: the tests decide when we are done, so I need to know what they expect.',
  units: 'Purpose: others may want other units next.',
  fix: 'Purpose: a fix that lands today.',
  kelvin: 'Purpose: a new unit that lands today.',
  verify: 'Purpose: the last check before both land.',
  final: 'Purpose: proof that what landed works.',
} as const;

const read = (path: string) => call('Read', { file_path: path });
const run = (command: string, description: string) => call('Bash', { command, description });
const edit = (file_path: string, old_string: string, new_string: string) =>
  call('Edit', { file_path, old_string, new_string });

/** The actions of each worker, in its own directory. */
export function workerTurns(repository: string, cues: Cues): Record<string, CastLine[]> {
  const own = (name: string) => (request: ModelRequest) => join(readWorkingDirectory(request), name);
  const convert = own('lib/convert.sh');
  const degrees = own('degrees.sh');
  return {
    [purposes.formula]: [
      call('Grep', { pattern: 'to_celsius', output_mode: 'files_with_matches' }),
      expecting({ toolResult: 'lib/convert.sh' }, read(join(repository, 'lib/convert.sh'))),
      cues.on(
        'formula',
        expecting(
          { toolResult: 'f - 32 * 5 / 9' },
          say('`lib/convert.sh:3` computes `f - 32 * 5 / 9`: it multiplies before it subtracts.'),
        ),
      ),
    ],
    [purposes.program]: [
      read(join(repository, 'degrees.sh')),
      cues.on(
        'program',
        expecting(
          { toolResult: 'celsius) to_celsius' },
          say('`degrees.sh:3` has one unit, `celsius) to_celsius "$2" ;;`. It prints only the number.'),
        ),
      ),
    ],
    [purposes.tests]: [
      run('sh test.sh', 'Run the tests'),
      (request) =>
        expecting(
          { toolResult: 'FAILED  32 F should be 273 K' },
          call('Write', { file_path: findNamedFile(request), content: expected }),
        ),
      cues.on(
        'tests',
        expecting(
          { isError: false },
          say(
            '`sh test.sh` fails 4 of 4. It expects the unit after the number: `0 C`, `100 C`, `273 K`, `373 K`.',
          ),
        ),
      ),
    ],
    // It would read forever: the user may stop it, otherwise the lead does.
    [purposes.units]: [
      call('Grep', { pattern: 'UNIT', output_mode: 'content' }),
      expecting(
        { toolResult: 'usage: sh degrees.sh UNIT' },
        hang(say('Rankine, Réaumur, Delisle: still reading.')),
      ),
    ],
    [purposes.fix]: [
      (request) => calls([read(convert(request)), read(degrees(request))]),
      (request) =>
        calls([
          edit(convert(request), 'f - 32 * 5 / 9', '(f - 32) * 5 / 9'),
          edit(degrees(request), 'celsius) to_celsius "$2" ;;', 'celsius) echo "$(to_celsius "$2") C" ;;'),
        ]),
      run('sh test.sh celsius', 'Run the tests'),
      expecting(
        { toolResult: 'ok      212 F is 100 C' },
        run('git add -A && git commit -qm "Fix Celsius"', 'Commit'),
      ),
      cues.on(
        'fix',
        say('Fixed in `lib/convert.sh:3` and `degrees.sh:3`; `sh test.sh celsius` passes. Committed.'),
      ),
    ],
    [purposes.kelvin]: kelvinTurns(convert, degrees, cues),
    [purposes.verify]: [
      (request) => read(findNamedFile(request)),
      (request) =>
        calls(
          findNamedWorktrees(request).map(({ path, unit }) =>
            run(`cd ${path} && sh test.sh ${unit}`, 'Test'),
          ),
        ),
      cues.on(
        'verify',
        expecting(
          { toolResult: /ok {6}212 F is 100 C[\s\S]*ok {6}212 F is 373 K/ },
          say('Both pass: Celsius in one worktree, Kelvin in the other.'),
        ),
      ),
    ],
    [purposes.final]: [
      run('sh test.sh', 'Run all tests'),
      cues.on(
        'final',
        expecting(
          { toolResult: 'ok      212 F is 373 K' },
          say('`sh test.sh` in the checkout: 4 of 4 pass.'),
        ),
      ),
    ],
  };
}

type PathIn = (request: ModelRequest) => string;

/** The worker whose work conflicts with the other's: it is sent back once. */
function kelvinTurns(convert: PathIn, degrees: PathIn, cues: Cues): CastLine[] {
  return [
    (request) => calls([read(convert(request)), read(degrees(request))]),
    (request) =>
      calls([
        edit(convert(request), "5 / 9 }'\n}\n", `5 / 9 }'\n}\n\n${toKelvin}`),
        edit(
          degrees(request),
          '  celsius) to_celsius "$2" ;;\n',
          '  celsius) to_celsius "$2" ;;\n  kelvin) echo "$(to_kelvin "$2") K" ;;\n',
        ),
      ]),
    run('sh test.sh kelvin', 'Run the tests'),
    expecting(
      { toolResult: 'ok      212 F is 373 K' },
      run('git add -A && git commit -qm "Add Kelvin"', 'Commit'),
    ),
    cues.on(
      'kelvin',
      say(
        '`to_kelvin` is in `lib/convert.sh`, the unit in `degrees.sh:4`; `sh test.sh kelvin` passes. Committed.',
      ),
    ),
    told('Merge main', run('git merge main', 'Merge what landed')),
    (request) => expecting({ toolResult: 'CONFLICT' }, read(degrees(request))),
    (request) => call('Write', { file_path: degrees(request), content: merged }),
    run('sh test.sh', 'Run all tests'),
    expecting(
      { toolResult: 'ok      212 F is 100 C' },
      run('git add -A && git commit -qm "Merge main: both units print their symbol"', 'Commit'),
    ),
    cues.on(
      'fixed',
      say('The conflict in `degrees.sh` is fixed: both lines stay. All 4 tests pass on my branch.'),
    ),
  ];
}

const toKelvin = [
  'to_kelvin() {',
  '  awk -v f="$1" \'BEGIN { printf "%.0f", (f - 32) * 5 / 9 + 273.15 }\'',
  '}',
  '',
].join('\n');

const merged = [
  '. ./lib/convert.sh',
  'case "$1" in',
  '  celsius) echo "$(to_celsius "$2") C" ;;',
  '  kelvin) echo "$(to_kelvin "$2") K" ;;',
  '  *) echo "usage: sh degrees.sh UNIT VALUE"; exit 2 ;;',
  'esac',
  '',
].join('\n');

const expected = ['32 F: 0 C, 273 K', '212 F: 100 C, 373 K', ''].join('\n');

/** The scratchpad file that the coordinator named in the prompt. */
function findNamedFile(request: ModelRequest): string {
  return /(\S+\/expected\.md)/.exec(readPrompt(request))?.[1] ?? '';
}

/** As the coordinator put them into the prompt. */
function findNamedWorktrees(request: ModelRequest): { path: string; unit: string }[] {
  return [...readPrompt(request).matchAll(/^- (celsius|kelvin) in (\S+)$/gm)].map(
    ([, unit = '', path = '']) => ({
      path,
      unit,
    }),
  );
}

function readPrompt({ messages }: ModelRequest): string {
  const [first] = messages[0]?.content ?? [];
  return first?.type === 'text' ? first.text : '';
}
