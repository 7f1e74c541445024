import type { ModelRequest } from '../../protocol/index.ts';
import { textOf } from '../../protocol/index.ts';
import { type AnswerTurn, call, calls, expecting, say, together } from '../../testing/index.ts';
import { type CastLine, type CastModel, Cues, castModel, type DueTurn, told } from './cast.ts';
import { purposes, workerTurns } from './workers.ts';

export const demoPrompt =
  'The Celsius values are wrong, and Kelvin is missing. Fix Celsius, add Kelvin, and land both.';

/** The whole story: research, synthesis, two isolated writers, verification, landing with a conflict that goes back. */
export function demoModel(repository: string): CastModel {
  const cues = new Cues();
  const meanwhile = 'Noted. Waiting for the next report.';
  const workers = workerTurns(repository, cues);
  return castModel({ lead: leadTurns(cues), workers, stopped: purposes.units, meanwhile, end: theEnd });
}

const theEnd = `The demo ends here. Look around: **ctrl-t** shows the workers and what each of them did; **/cost**, **/context** and **/worktrees** work too. **ctrl-c** twice quits.

With a real model: \`export ANTHROPIC_API_KEY=…\`, or \`cadre setup\`.`;

const worker = (description: string, purpose: string, task: string, more: Record<string, unknown> = {}) =>
  call('Agent', { description, prompt: `${purpose}\n${task}`, ...more });

const inOwnTree = (name: string) => ({ name, isolation: 'worktree' });

function leadTurns(cues: Cues): CastLine[] {
  return [...research(cues), ...implementation(cues), ...landing(cues)];
}

function research(cues: Cues): CastLine[] {
  return [
    together(
      say('Let me run the tests myself.'),
      call('Bash', { command: 'sh test.sh', description: 'Run the tests' }),
    ),
    (request) =>
      expecting(
        { toolResult: 'does not have the tool Bash' },
        together(
          say('I only coordinate. Research: four workers look in parallel.'),
          calls([
            worker(
              'Find the formula',
              purposes.formula,
              'Find what computes Celsius. Report file, line and formula. Change nothing.',
            ),
            worker(
              'Read the program',
              purposes.program,
              'Read degrees.sh. Report how it chooses a unit and what it prints. Change nothing.',
            ),
            worker(
              'Run the tests',
              purposes.tests,
              `Run sh test.sh. Report what fails, and write what is expected to ${findScratchpad(request)}/expected.md. Change nothing else.`,
            ),
            worker(
              otherUnits,
              purposes.units,
              'Look for other units that the program should know. Report each with its formula. Change nothing.',
            ),
          ]),
        ),
      ),
    cues.giving(['formula'], say('Four workers are looking. I am waiting for their reports.')),
    reported('multiplies before it subtracts', cues.giving(['program'], say('One of four reports.'))),
    reported('prints only the number', cues.giving(['tests'], say('Two of four reports.'))),
  ];
}

function implementation(cues: Cues): CastLine[] {
  const fix =
    'In lib/convert.sh:3 put the subtraction in parentheses: (f - 32) * 5 / 9. In degrees.sh:3 print " C" after the number. ' +
    'Run sh test.sh celsius, commit on your branch, report. Touch nothing else.';
  const kelvin =
    'Add to_kelvin to lib/convert.sh, (f - 32) * 5 / 9 + 273.15 in whole degrees, and a kelvin line after the celsius line of ' +
    'degrees.sh that prints " K" after the number. Run sh test.sh kelvin, commit on your branch, report. Touch nothing else.';
  return [
    reported('fails 4 of 4', (request) =>
      together(
        say(
          'Synthesis: the formula multiplies before it subtracts, the symbol is missing, and Kelvin does not exist yet. ' +
            'Two writers; both touch `degrees.sh`, so each has its own worktree. Other units were not asked for.',
        ),
        calls([
          ...stopOtherUnits(request),
          worker('Fix Celsius', purposes.fix, fix, inOwnTree('fixer')),
          worker('Add Kelvin', purposes.kelvin, kelvin, inOwnTree('kelvin')),
        ]),
      ),
    ),
    cues.giving(['fix'], say('Two writers are running, each in its own worktree.')),
    reported(
      'sh test.sh celsius` passes',
      cues.giving(['kelvin'], say('Celsius is fixed. Kelvin is still in progress.')),
    ),
    reported('sh test.sh kelvin` passes', (request: ModelRequest) =>
      together(
        say('Verification: a fresh worker runs the tests in both worktrees; no writer checks its own work.'),
        worker(
          'Verify both',
          purposes.verify,
          `The expected values are in ${findScratchpad(request)}/expected.md. Run sh test.sh UNIT in each and report. Change nothing.\n${listWorktrees(request)}`,
        ),
      ),
    ),
    cues.giving(['verify'], say('A worker is verifying both.')),
  ];
}

function landing(cues: Cues): CastLine[] {
  const sendBack =
    'Your work conflicts with main in degrees.sh: "Fix Celsius" has landed, and its celsius line prints " C" now. Merge main ' +
    'into your branch, keep both lines, run sh test.sh, commit, report.';
  return [
    reported(
      'Both pass',
      together(
        say('Both pass. I am landing them, one on top of the other.'),
        call('Land', { action: 'land', names: ['fixer', 'kelvin'] }),
      ),
    ),
    expecting(
      { toolResult: /landed {4}fixer[\s\S]*conflict {2}kelvin/, isError: true },
      together(
        say(
          'Celsius has landed. Kelvin conflicts with it in `degrees.sh` and goes back to its owner. Nothing was left half-merged.',
        ),
        call('SendMessage', { to: 'kelvin', message: sendBack, summary: 'Merge main and fix the conflict' }),
      ),
    ),
    cues.giving(['fixed'], say('The worker that wrote it continues, with its full context.')),
    reported(
      'All 4 tests pass on my branch',
      together(say('Fixed. I am landing it.'), call('Land', { action: 'land', names: ['kelvin'] })),
    ),
    expecting(
      { toolResult: /landed {4}kelvin/, isError: false },
      worker(
        'Test the result',
        purposes.final,
        'Run sh test.sh in the checkout and report every line. Change nothing.',
      ),
    ),
    cues.giving(['final'], say('Both are on `main`. One last worker tests what landed.')),
    reported(
      '4 of 4 pass',
      say(
        'Done. Celsius is fixed and Kelvin is added, both on `main`, and all 4 tests pass. ' +
          'One conflict came up while landing; its owner fixed it.',
      ),
    ),
  ];
}

/** A turn that is due once this was reported, in a notification of the harness. */
function reported(words: string, turn: AnswerTurn | ((request: ModelRequest) => AnswerTurn)): DueTurn {
  return told(words, turn);
}

const otherUnits = 'Look for other units';

/** It never ends on its own. The user may have stopped it before. */
function stopOtherUnits({ messages }: ModelRequest): AnswerTurn[] {
  const results = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
  const ids = results.flatMap(({ content }) => /Its id is (\w+);/.exec(textOf(content))?.[1] ?? []);
  const [id] = ids.slice(-1);
  const isStopped = messages.some(({ content }) => textOf(content).includes(`${otherUnits}" was stopped`));
  return id === undefined || isStopped ? [] : [call('TaskStop', { task_id: id })];
}

/** Where workers exchange files, from the coordinator's prompt. */
function findScratchpad({ system }: ModelRequest): string {
  return /A scratchpad, (.+?): a directory/.exec(system.join('\n'))?.[1] ?? '';
}

/** The writers' directories, from their notifications. */
function listWorktrees({ messages }: ModelRequest): string {
  const text = messages.map((message) => (message.role === 'user' ? textOf(message.content) : '')).join('\n');
  const paths = [...text.matchAll(/<worktree><name>(\w+)-\w+<\/name><path>([^<]+)<\/path>/g)];
  return paths.map(([, name, path]) => `- ${name === 'kelvin' ? name : 'celsius'} in ${path}`).join('\n');
}
