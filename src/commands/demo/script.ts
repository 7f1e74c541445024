import { join } from 'node:path';
import type { Model } from '../../protocol/index.ts';
import { call, calls, expecting, say, scriptedModel, together } from '../../testing/index.ts';

export const demoPrompt = 'The tests fail. Find out why, mend it, and show that they pass.';

/** What the scripted model does. Each step checks what the real tools gave back before it goes on. */
export function demoModel(directory: string): Model & { assertConsumed(): void } {
  const source = join(directory, 'lib/convert.sh');
  return scriptedModel(
    [
      together(
        say('I run the tests first, to see the failure myself.'),
        call('Bash', { command: 'sh test.sh', description: 'Run the tests' }),
      ),
      expecting(
        { toolResult: 'FAILED  212 F should be 100 C' },
        together(
          say('Every value is off. I look for the conversion and read it.'),
          calls([
            call('Grep', { pattern: 'to_celsius', output_mode: 'files_with_matches' }),
            call('Read', { file_path: source }),
          ]),
        ),
      ),
      expecting(
        { toolResult: 'f - 32 * 5 / 9' },
        together(
          say('The subtraction must come before the multiplication: parentheses are missing.'),
          call('Edit', { file_path: source, old_string: 'f - 32 * 5 / 9', new_string: '(f - 32) * 5 / 9' }),
        ),
      ),
      together(
        say('Now the tests again.'),
        call('Bash', { command: 'sh test.sh', description: 'Run the tests again' }),
      ),
      expecting(
        { toolResult: 'ok      98 F is 37 C' },
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
    ],
    { id: 'scripted/demo' },
  );
}
