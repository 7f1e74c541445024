import type { ModelRequest } from '../../protocol/index.ts';
import { textOf } from '../../protocol/index.ts';
import { type AnswerTurn, call, calls, expecting, say, together } from '../../testing/index.ts';
import { type CastLine, type CastModel, Cues, castModel, told } from './cast.ts';
import { memberPurposes, memberTurns, waiting } from './team-members.ts';

export const teamPrompt =
  'The Celsius values are wrong, and Kelvin is missing. Do both as a team, with the readme and a last test.';

/** A team of four: a board with dependencies, a broadcast, a plan to approve, a permission to ask for, an agreed shutdown. */
export function teamModel(repository: string): CastModel {
  const cues = new Cues();
  return castModel({
    lead: [...setUp(cues), ...direct(cues), ...finish()],
    workers: memberTurns(repository, cues),
    meanwhile: 'Noted. Waiting for the next report.',
    end: theEnd,
  });
}

const theEnd = `The demo ends here. Look around: **/team** shows who wrote what to whom, **/board** the items, **ctrl-t** everything that ran. **ctrl-c** twice quits.

With a real model: \`export ANTHROPIC_API_KEY=…\`, or \`cadre setup\`.`;

const subjects = ['Fix Celsius', 'Add Kelvin', 'Describe the units', 'Test everything'] as const;
const owners = ['fixer', 'kelvin', 'writer', 'tester'] as const;

function setUp(cues: Cues): CastLine[] {
  return [
    together(
      say('Four jobs that depend on each other: a team with a board.'),
      call('TeamCreate', {
        team_name: 'degrees',
        description: 'Celsius, Kelvin, their description and their test',
      }),
    ),
    calls([
      item(subjects[0], 'lib/convert.sh multiplies before it subtracts, and degrees.sh prints no symbol.'),
      item(subjects[1], 'A conversion in lib/convert.sh and a line in degrees.sh. Plan it first.'),
      item(subjects[2], 'One line for each unit in README.md, and a commit of everything.'),
      item(subjects[3], 'sh test.sh, all four lines.'),
    ]),
    (request) => calls(linkItems(findItems(request))),
    (request) => {
      const ids = findItems(request);
      return together(
        say('Each item waits for the one before it. I start the team.'),
        calls(owners.map((name, index) => teammate(name, ids[index] ?? ''))),
      );
    },
    (request) =>
      calls(
        findItems(request)
          .map((taskId, index) => call('TaskUpdate', { taskId, owner: owners[index] }))
          .slice(1),
      ),
    call('SendMessage', {
      to: '*',
      summary: 'How units are printed',
      message: 'Every unit prints its symbol after the number, with a blank: "100 C", "373 K".',
    }),
    cues.giving(['told'], say('All four know the rule. They write to me when something is ready.')),
  ];
}

/** One after the other, so the story is the same every time: each report is the cue for the next step. */
function direct(cues: Cues): CastLine[] {
  return [
    told('plan_approval_request', approvePlan),
    say('The plan is right: it touches two lines and nothing else.'),
    told(waiting.kelvin, cues.giving(['writer'], say('Kelvin is planned and waits for Celsius.'))),
    told(waiting.writer, cues.giving(['tester'], say('The readme waits for Kelvin.'))),
    told(waiting.tester, cues.giving(['fix'], say('The test waits for all of it. Celsius can begin.'))),
    told(
      '`sh test.sh celsius` passes',
      cues.giving(['kelvin'], say('Celsius is done, which unblocks Kelvin.')),
    ),
    told(
      '`sh test.sh kelvin` passes',
      cues.giving(['describe'], say('Kelvin is done, which unblocks the readme.')),
    ),
    told('README.md names both', cues.giving(['test'], say('The readme is done, which unblocks the test.'))),
  ];
}

function finish(): CastLine[] {
  return [
    told(
      '4 of 4 pass',
      together(say('All items are done. I ask the team to shut down.'), call('TeamDelete', {})),
    ),
    expecting(
      { toolResult: 'has ended', isError: false },
      say(
        'Done: Celsius is fixed, Kelvin is added and described, and all 4 tests pass. The team has shut down.',
      ),
    ),
  ];
}

function item(subject: string, description: string): AnswerTurn {
  return call('TaskCreate', { subject, description });
}

/** The ids that the board gave, in the order of the subjects. */
function findItems({ messages }: ModelRequest): string[] {
  const results = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
  const text = results.map(({ content }) => textOf(content)).join('\n');
  return subjects.map((subject) => new RegExp(`Added (\\w+) \\[pending\\] ${subject}`).exec(text)?.[1] ?? '');
}

function linkItems(ids: readonly string[]): AnswerTurn[] {
  return ids.slice(1).map((taskId, index) => call('TaskUpdate', { taskId, addBlockedBy: [ids[index]] }));
}

function teammate(name: (typeof owners)[number], id: string): AnswerTurn {
  return call('Agent', {
    description: subjects[owners.indexOf(name)],
    prompt: `${memberPurposes[name]}\nYour item on the board is ${id}.`,
    name,
    ...(name === 'kelvin' ? { subagent_type: 'planner' } : {}),
  });
}

function approvePlan({ messages }: ModelRequest): AnswerTurn {
  const text = messages.map(({ content }) => textOf(content)).join('\n');
  const request_id = /"request_id":"([^"]+)"/.exec(text)?.[1];
  return call('SendMessage', {
    to: 'kelvin',
    message: { type: 'plan_approval_response', request_id, approve: true },
  });
}
