import { join } from 'node:path';
import type { Model, ModelRequest } from '../../protocol/index.ts';
import { call, calls, expecting, say, scriptedModel, type Turn, together } from '../../testing/index.ts';

export const demoPrompt = 'The tests fail. Find out why, mend it, and show that they pass.';

const find = 'Find the function that converts temperatures. Report its file, the line and the formula.';
const read = 'Read test.sh. Report what each check expects of the conversion.';
const check = 'Run sh test.sh and report every line of its output. Change nothing.';

/** What the scripted model does. Each step checks what the real tools and agents gave back before it goes on. */
export function demoModel(directory: string): Model & { assertConsumed(): void } {
  const source = join(directory, 'lib/convert.sh');
  const mend = `In ${source} the formula \`f - 32 * 5 / 9\` multiplies before it subtracts. Put the subtraction in parentheses. Touch nothing else.`;
  return byAgent({
    lead: leadTurns(mend),
    [find]: [
      call('Grep', { pattern: 'to_celsius', output_mode: 'files_with_matches' }),
      expecting({ toolResult: 'lib/convert.sh' }, call('Read', { file_path: source })),
      expecting(
        { toolResult: 'f - 32 * 5 / 9' },
        say('`to_celsius` in `lib/convert.sh:3` computes `f - 32 * 5 / 9`.'),
      ),
    ],
    [read]: [
      call('Read', { file_path: join(directory, 'test.sh') }),
      expecting({ toolResult: 'check 212 100' }, say('It expects 32 F = 0 C, 212 F = 100 C, 98 F = 37 C.')),
    ],
    [mend]: [
      call('Read', { file_path: source }),
      call('Edit', { file_path: source, old_string: 'f - 32 * 5 / 9', new_string: '(f - 32) * 5 / 9' }),
      say('Done: `lib/convert.sh:3` now computes `(f - 32) * 5 / 9`.'),
    ],
    [check]: [
      call('Bash', { command: 'sh test.sh', description: 'Run the tests' }),
      expecting({ toolResult: 'ok      98 F is 37 C' }, say('All three checks say ok.')),
    ],
  });
}

function leadTurns(mend: string): Turn[] {
  const agent = (subagent_type: string, description: string, prompt: string) =>
    call('Agent', { subagent_type, description, prompt });
  return [
    together(
      say('I run the tests first, to see the failure myself.'),
      call('Bash', { command: 'sh test.sh', description: 'Run the tests' }),
    ),
    expecting(
      { toolResult: 'FAILED  212 F should be 100 C' },
      together(
        say('Every value is off. Two agents look into it side by side.'),
        calls([
          agent('Explore', 'Find the conversion', find),
          agent('Explore', 'Understand the tests', read),
        ]),
      ),
    ),
    together(
      say('The formula multiplies before it subtracts. One agent mends it.'),
      agent('general-purpose', 'Mend the formula', mend),
    ),
    expecting(
      { toolResult: '(f - 32) * 5 / 9' },
      together(
        say('Another one checks it, since nobody should check their own work.'),
        agent('general-purpose', 'Check the mend', check),
      ),
    ),
    expecting(
      { toolResult: 'All three checks say ok' },
      together(
        say('All pass. I try to publish the change as well.'),
        call('Bash', { command: 'git push origin main', description: 'Publish' }),
      ),
    ),
    expecting(
      { toolResult: 'Permission denied' },
      say(
        'Mended: `lib/convert.sh:3` multiplied before it subtracted. All three tests pass now. ' +
          'I was not allowed to push, so publishing is left to you.',
      ),
    ),
  ];
}

/** A script for each agent, known by the prompt it was given. */
function byAgent(scripts: Record<string, Turn[]>): Model & { assertConsumed(): void } {
  const models = new Map(
    Object.entries(scripts).map(([who, turns]) => [who, scriptedModel(turns, { id: 'scripted/demo' })]),
  );
  const [lead] = models.values();
  if (!lead) throw new Error('a demo needs a lead');
  return {
    id: lead.id,
    facts: lead.facts,
    stream: (request, signal) => (models.get(promptOf(request)) ?? lead).stream(request, signal),
    assertConsumed: () => {
      for (const model of models.values()) model.assertConsumed();
    },
  };
}

function promptOf({ messages, asker }: ModelRequest): string {
  const [first] = messages[0]?.content ?? [];
  return asker?.agentId != null && first?.type === 'text' ? first.text : 'lead';
}
