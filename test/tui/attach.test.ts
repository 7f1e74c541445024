import { expect, test } from 'bun:test';
import { call, hang, say, type TurnMaker } from '../../src/testing/index.ts';
import { environmentOf, program } from '../cli/support.ts';
import { needs, openPane } from '../support/index.ts';
import { asked, type Screen, seen, send, withScreen } from './support.ts';

needs('tmux');

/** Another terminal, in which the running session is looked at. */
async function withAttached(owner: Screen, words: string[], body: (screen: Screen) => Promise<void>) {
  const { place, provider } = owner;
  const pane = openPane({
    command: [program, 'attach', ...words],
    cwd: place.userHome,
    env: { ...environmentOf({ place }), CADRE_STILL: '1', LANG: 'C.UTF-8' },
    columns: 80,
    rows: 24,
  });
  try {
    await body({ ...pane, place, provider });
  } finally {
    pane.close();
  }
}

/** Its answer names the prompt, so that no number of requests matters. */
const answer: TurnMaker = ({ messages }) => {
  const last = JSON.stringify(messages.at(-1));
  if (last.includes('tool_result')) return say('The call is done.');
  if (last.includes('third')) return call('Bash', { command: 'touch made' });
  return say(`Read the ${/first|second/.exec(last)?.[0]} one.`);
};

test('RM4 an attached terminal shows the conversation, prompts, answers a question, and leaves the session running', async () => {
  await withScreen(answer, async (owner) => {
    await send(owner, 'This is the first.');
    await seen(owner, 'Read the first one.');
    await withAttached(owner, [], async (other) => {
      await seen(other, 'Read the first one.');
      await send(other, 'This is the second.');
      await seen(other, 'Read the second one.');
      await seen(owner, 'Read the second one.');
      await send(owner, 'This is the third.');
      await asked(other, 'touch made');
      other.press('Enter');
      await seen(other, 'The call is done.');
      await seen(owner, 'The call is done.');
      other.press('C-d');
      await seen(other, 'The session keeps running. Attach again: cadre attach');
    });
    await send(owner, 'And the first again.');
    await seen(owner, 'And the first again.');
    expect(owner.visible()).not.toContain('Attach again');
  });
});

test('RM4 an attached terminal shows a call that waits for an answer as waiting, and then its result', async () => {
  await withScreen(answer, async (owner) => {
    await send(owner, 'This is the third.');
    await asked(owner, 'touch made');
    await withAttached(owner, [], async (other) => {
      await asked(other, 'touch made');
      expect(other.visible()).toContain('? Bash touch made');
      other.press('Enter');
      await seen(other, 'The call is done.');
      expect(other.visible()).toContain('● Bash touch made');
      expect(other.visible()).not.toContain('interrupted');
    });
  });
});

const hire = call('Agent', {
  description: 'Look around',
  prompt: 'Look',
  subagent_type: 'general-purpose',
});

test('RM4 an attached terminal shows a running agent as running', async () => {
  const script: TurnMaker = ({ messages }) =>
    JSON.stringify(messages[0]).includes('Hire one') ? hire : hang();
  await withScreen(
    script,
    async (owner) => {
      await send(owner, 'Hire one.');
      await seen(owner, '1 task running');
      await withAttached(owner, [], async (other) => {
        await seen(other, /● general-purpose Look around/);
        expect(other.visible()).not.toContain('interrupted');
      });
    },
    { flags: ['--permission-mode', 'acceptEdits'] },
  );
});

test('RM4 an attached terminal leaves when the session ends, and says how to resume it', async () => {
  await withScreen(answer, async (owner) => {
    await send(owner, 'This is the first.');
    await seen(owner, 'Read the first one.');
    await withAttached(owner, [], async (other) => {
      await seen(other, 'Read the first one.');
      owner.press('C-d');
      await seen(other, 'The session has ended. Resume it: cadre --resume');
    });
  });
});
