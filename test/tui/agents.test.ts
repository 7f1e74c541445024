import { expect } from 'bun:test';
import { call, calls, type FixedTurn, hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { expectScreen, gone, type Screen, seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const quietAgents = '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}';
const flags = ['--settings', quietAgents, '--allowedTools', 'Bash(echo:*)', '--', 'go'];

const agent = (description: string, more: object = {}) =>
  call('Agent', {
    subagent_type: 'general-purpose',
    description,
    prompt: `Your task: ${description}`,
    ...more,
  });

interface Scene {
  /** What an agent says when it is asked for the second time waits for this. */
  release(): void;
  script(request: { messages: readonly unknown[] }): Promise<FixedTurn>;
}

/** A lead that starts agents; each runs one command and then waits to be released. */
function scene(start: FixedTurn, names: readonly string[]): Scene {
  const held = Promise.withResolvers<void>();
  const steps = new Map<string, number>();
  return {
    release: () => held.resolve(),
    async script({ messages }) {
      const text = JSON.stringify(messages);
      const who = names.find((name) => JSON.stringify(messages[0]).includes(`Your task: ${name}`)) ?? 'lead';
      const step = steps.get(who) ?? 0;
      steps.set(who, step + 1);
      if (who === 'lead') return step === 0 ? start : say('The lead goes on.');
      if (step === 0) return call('Bash', { command: `echo ${who} works` });
      await held.promise;
      return say(text.includes('a word from me') ? `${who} heard the word.` : `**${who}** is done.`);
    },
  };
}

/** Agents that work, each with its first command behind it. */
function atWork(
  names: readonly string[],
  body: (screen: Screen, release: () => void) => Promise<void>,
  columns = 80,
): Promise<void> {
  const { script, release } = scene(calls(names.map((name) => agent(name))), names);
  return withScreen(
    script,
    async (screen) => {
      for (const name of names) await seen(screen, new RegExp(`${name} 1 tool.*echo`));
      await body(screen, release);
    },
    { flags, columns },
  );
}

async function openTasks(screen: Screen): Promise<void> {
  screen.press('C-t');
  await seen(screen, 'return opens');
}

tmuxTest('agents are rows under their calls while they work, and one line each when they end (UI1)', () =>
  atWork(['find it', 'read it'], async (screen, release) => {
    await seen(screen, /\$\d/);
    expectScreen('agents-working', screen);
    release();
    await seen(screen, 'The lead goes on.');
    await seen(screen, '❯ Ask');
    expectScreen('agents-ended', screen);
  }),
);

tmuxTest('the panel lists all work, and one looks into an agent while it works (UI2)', () =>
  atWork(['find it', 'read it'], async (screen, release) => {
    await openTasks(screen);
    await seen(screen, /find it .*\$\d[\s\S]*read it .*\$\d/);
    expectScreen('tasks', screen);
    screen.press('Down');
    await seen(screen, /❯ ● general-purpose read it/);
    screen.press('Enter');
    await seen(screen, 'Your task: read it');
    expectScreen('zoom', screen);
    release();
    await seen(screen, 'read it is done.');
    screen.press('Escape');
    await seen(screen, 'return opens');
    screen.press('Escape');
    await seen(screen, 'The lead goes on.');
  }),
);

tmuxTest('the zoom has the beginning of a conversation, also of a long one', () => {
  const held = Promise.withResolvers<void>();
  const turns = 60;
  return withScreen(
    async ({ messages }) => {
      if (!JSON.stringify(messages[0]).includes('Your task: find it'))
        return messages.length === 1 ? agent('find it', { run_in_background: true }) : say('Started.');
      if (messages.length < turns * 2) return call('Bash', { command: `echo step ${messages.length}` });
      await held.promise;
      return say('All steps are done.');
    },
    async (screen) => {
      await seen(screen, new RegExp(`find it .*echo step ${turns * 2 - 1}`));
      await openTasks(screen);
      screen.press('Enter');
      await seen(screen, `echo step ${turns * 2 - 1}`);
      for (let page = 0; page < 40 && !screen.visible().includes('Your task: find it'); page++) {
        screen.press('PageUp');
        await settled(screen);
      }
      expect(screen.visible()).toMatch(/Your task: find it[\s\S]*echo step 1\b/);
      held.resolve();
    },
    { flags, columns: 120 },
  );
});

tmuxTest('what is written to an agent reaches that agent', () =>
  atWork(['find it', 'read it'], async (screen, release) => {
    await openTasks(screen);
    screen.press('Enter');
    await seen(screen, 'Write to');
    screen.type('a word from me');
    await seen(screen, 'a word from me');
    screen.press('Enter');
    await gone(screen, '❯ a word from me');
    release();
    const now = await seen(screen, 'find it heard the word.');
    // One's own words, as one wrote them.
    expect(now).toMatch(/^❯ a word from me$/m);
    expect(now).not.toContain('teammate-message');
  }),
);

tmuxTest('what is being written to an agent is still there when one comes back, for each its own', () =>
  atWork(['find it', 'read it'], async (screen, release) => {
    await openTasks(screen);
    screen.press('Enter');
    await seen(screen, 'Write to');
    screen.type('a word');
    screen.paste(' from');
    await seen(screen, '❯ a word from');
    screen.press('Escape');
    await seen(screen, 'return opens');
    screen.press('Down');
    await seen(screen, /❯ ● general-purpose read it/);
    screen.press('Enter');
    await seen(screen, 'Write to');
    expect(screen.visible()).not.toContain('a word from');
    screen.press('C-q');
    await seen(screen, 'No question is waiting.');
    await openTasks(screen);
    screen.press('Enter');
    await seen(screen, '❯ a word from');
    screen.type(' me');
    await seen(screen, '❯ a word from me');
    screen.press('Enter');
    await seen(screen, 'Write to');
    release();
    await seen(screen, 'find it heard the word.');
  }),
);

tmuxTest('from the output of a command in the background escape goes back to the panel', () =>
  withScreen(
    [call('Bash', { command: 'echo begun; sleep 300', run_in_background: true }), say('Started.')],
    async (screen) => {
      await seen(screen, 'Started.');
      await openTasks(screen);
      // What it has printed by then is shown: a busy machine may not have started it yet.
      for (let looks = 0; looks < 50 && !/^begun/m.test(screen.visible()); looks++) {
        screen.press('Enter');
        await seen(screen, 'esc goes back');
        await settled(screen);
        if (/^begun/m.test(screen.visible())) break;
        screen.press('Escape');
        await seen(screen, 'return opens');
      }
      await seen(screen, /^begun/m);
      screen.press('Escape');
      await seen(screen, 'return opens');
      await seen(screen, /❯ ● shell/);
      screen.press('Escape');
      await gone(screen, 'return opens');
    },
    { flags: ['--allowedTools', 'Bash', '--', 'go'] },
  ),
);

tmuxTest('x stops an agent once it is confirmed, and the others go on', () =>
  atWork(['find it', 'read it'], async (screen, release) => {
    await openTasks(screen);
    screen.type('x');
    await seen(screen, 'Stop general-purpose (find it)? y to stop it');
    screen.type('n');
    await seen(screen, 'return opens');
    expect(screen.visible()).toContain('2 running');
    screen.type('x');
    await seen(screen, 'y to stop it');
    screen.type('y');
    await seen(screen, '1 stopped');
    release();
    await seen(screen, '1 done');
    screen.press('Escape');
    await seen(screen, 'The lead goes on.');
  }),
);

tmuxTest('the cursor of the panel stays on what was chosen when a row comes above it', () => {
  const started = Promise.withResolvers<void>();
  const script = async ({ messages }: { messages: readonly unknown[] }) => {
    if (JSON.stringify(messages[0]).includes('Your task')) return hang(say('I look.'));
    if (messages.length < 3) return call('Bash', { command: 'sleep 300', run_in_background: true });
    await started.promise;
    return agent('find it');
  };
  const allowed = ['--settings', quietAgents, '--allowedTools', 'Bash(sleep:*)', '--', 'go'];
  return withScreen(
    script,
    async (screen) => {
      await seen(screen, '1 task running');
      await openTasks(screen);
      await seen(screen, /❯ ● shell/);
      started.resolve();
      const now = await seen(screen, 'find it');
      expect(now).toMatch(/❯ ● shell/);
      screen.type('x');
      await seen(screen, 'Stop the command sleep 300?');
    },
    { flags: allowed },
  );
});

tmuxTest('ctrl-x in the conversation of an agent stops it once it is confirmed', () =>
  atWork(['find it'], async (screen) => {
    await openTasks(screen);
    screen.press('Enter');
    await seen(screen, 'Write to');
    screen.press('C-x');
    await seen(screen, 'Stop general-purpose (find it)? y to stop it');
    screen.press('Escape');
    await seen(screen, /ctrl-x\s+stops it/);
    screen.press('C-x');
    await seen(screen, 'y to stop it');
    screen.type('y');
    await gone(screen, 'y to stop it');
    screen.press('Escape');
    await seen(screen, '1 stopped');
  }),
);

tmuxTest('ctrl-b lets the turn go on without the agent, which is in the panel until it ends (EX3)', () =>
  atWork(['find it'], async (screen, release) => {
    screen.press('C-b');
    await seen(screen, 'The lead goes on.');
    await seen(screen, '1 task running');
    screen.press('Escape');
    await seen(screen, 'Background work keeps running');
    await openTasks(screen);
    expect(screen.visible()).not.toContain('b background');
    screen.press('Enter');
    await seen(screen, 'Write to');
    release();
    await seen(screen, 'find it is done.');
  }),
);

tmuxTest('leaving says what it ends', () =>
  atWork(
    ['find it'],
    async (screen) => {
      screen.press('C-b');
      await seen(screen, 'The lead goes on.');
      await gone(screen, 'esc to stop');
      screen.press('C-c');
      await seen(screen, 'ctrl-c again to quit; this stops general-purpose (find it)');
      screen.press('C-c');
      const end = await seen(screen, 'exit code 0');
      expect(end).toContain('Stopped: general-purpose (find it)');
    },
    100,
  ),
);
