import { join } from 'node:path';
import { type ModelRequest, textOf } from '../../protocol/index.ts';
import { type AnswerTurn, call, calls, expecting, say } from '../../testing/index.ts';
import { type CastLine, type Cues, told } from './cast.ts';

/** The first line of each teammate's prompt, by which the script recognizes it. */
export const memberPurposes = {
  fixer: 'You fix the Celsius values.',
  kelvin: 'You add Kelvin, after your plan is approved.',
  writer: 'You describe the units in the readme and commit everything.',
  tester: 'You test the result.',
} as const;

/** Their reports while another item blocks theirs. */
export const waiting = {
  kelvin: 'My plan is approved',
  writer: 'The readme waits',
  tester: 'The last test waits',
} as const;

const run = (command: string, description: string) => call('Bash', { command, description });
const edit = (file_path: string, old_string: string, new_string: string) =>
  call('Edit', { file_path, old_string, new_string });

export function memberTurns(repository: string, cues: Cues): Record<string, CastLine[]> {
  const file = (name: string) => join(repository, name);
  const read = (...names: string[]) => calls(names.map((name) => call('Read', { file_path: file(name) })));
  return {
    [memberPurposes.fixer]: [
      claim,
      read('lib/convert.sh', 'degrees.sh'),
      cues.on(
        'fix',
        calls([
          edit(file('lib/convert.sh'), 'f - 32 * 5 / 9', '(f - 32) * 5 / 9'),
          edit(file('degrees.sh'), 'celsius) to_celsius "$2" ;;', 'celsius) echo "$(to_celsius "$2") C" ;;'),
        ]),
      ),
      run('sh test.sh celsius', 'Run the tests'),
      (request) =>
        expecting(
          { toolResult: 'ok      212 F is 100 C' },
          calls([
            complete(request),
            call('SendMessage', {
              to: 'kelvin',
              summary: 'Where the symbol is printed',
              message:
                'The symbol is printed in degrees.sh, not in lib/convert.sh. Your line goes below mine.',
            }),
          ]),
        ),
      say('Celsius is fixed in `lib/convert.sh:3` and `degrees.sh:3`; `sh test.sh celsius` passes.'),
    ],
    [memberPurposes.kelvin]: kelvinTurns(file, read, cues),
    [memberPurposes.writer]: [
      cues.on('writer', call('TaskList', {})),
      say(`${waiting.writer} for Kelvin.`),
      unblocked(claim),
      cues.on('describe', read('README.md')),
      edit(
        file('README.md'),
        'Run the tests',
        'Units: `celsius` prints `100 C`, `kelvin` prints `373 K`.\nRun the tests',
      ),
      run('git add -A && git commit -qm "Fix Celsius, add Kelvin"', 'Commit everything'),
      complete,
      say('README.md names both units. Everything is committed.'),
    ],
    [memberPurposes.tester]: [
      cues.on('tester', call('TaskList', {})),
      say(`${waiting.tester} for the readme.`),
      unblocked(claim),
      cues.on('test', run('sh test.sh', 'Run all tests')),
      (request) => expecting({ toolResult: 'ok      212 F is 373 K' }, complete(request)),
      say('`sh test.sh`: 4 of 4 pass.'),
    ],
  };
}

/** The planner: it may write only its plan until the leader approves it. */
function kelvinTurns(
  file: (name: string) => string,
  read: (...names: string[]) => AnswerTurn,
  cues: Cues,
): CastLine[] {
  return [
    read('lib/convert.sh', 'degrees.sh'),
    cues.on('told', call('TaskList', {})),
    (request) => call('Write', { file_path: findPlanFile(request), content: plan }),
    call('ExitPlanMode', {}),
    say(`${waiting.kelvin}; it waits for Celsius.`),
    unblocked(claim),
    cues.on('kelvin', read('lib/convert.sh', 'degrees.sh')),
    calls([
      edit(file('lib/convert.sh'), "5 / 9 }'\n}\n", `5 / 9 }'\n}\n\n${toKelvin}`),
      edit(file('degrees.sh'), '") C" ;;\n', '") C" ;;\n  kelvin) echo "$(to_kelvin "$2") K" ;;\n'),
    ]),
    run('sh test.sh kelvin', 'Run the tests'),
    (request) => expecting({ toolResult: 'ok      212 F is 373 K' }, complete(request)),
    say('`to_kelvin` is in `lib/convert.sh`, its line in `degrees.sh:4`; `sh test.sh kelvin` passes.'),
  ];
}

const plan = [
  '1. `lib/convert.sh`: `to_kelvin`, which is `(f - 32) * 5 / 9 + 273.15` in whole degrees.',
  '2. `degrees.sh`: one line below `celsius)` that prints ` K` after the number.',
  '3. `sh test.sh kelvin`.',
  '',
].join('\n');

const toKelvin = [
  'to_kelvin() {',
  '  awk -v f="$1" \'BEGIN { printf "%.0f", (f - 32) * 5 / 9 + 273.15 }\'',
  '}',
  '',
].join('\n');

/** A turn that is due when the board has told that nothing blocks the item any more. */
function unblocked(turn: (request: ModelRequest) => AnswerTurn): CastLine {
  return told('is no longer blocked', turn);
}

function claim(request: ModelRequest): AnswerTurn {
  return call('TaskUpdate', { taskId: findItem(request), status: 'in_progress' });
}

function complete(request: ModelRequest): AnswerTurn {
  return call('TaskUpdate', { taskId: findItem(request), status: 'completed' });
}

/** From its prompt. */
function findItem(request: ModelRequest): string {
  return /Your item on the board is (\w+)\./.exec(readAll(request))?.[1] ?? '';
}

function findPlanFile(request: ModelRequest): string {
  return /The plan file: ([^"\\<\s]+\.md)/.exec(readAll(request))?.[1] ?? '';
}

function readAll({ messages }: ModelRequest): string {
  return messages.map(({ content }) => textOf(content)).join('\n');
}
