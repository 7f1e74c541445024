import type { Screen } from './draw.ts';
import type { Stage } from './terminal.ts';

/** What a user sees at one point of their work. */
export interface Moment {
  readonly name: string;
  readonly title: string;
  /** Of the program; with `!` the whole command line. */
  readonly flags?: string;
  play(stage: Stage): Promise<Screen>;
}

const unconfined = `--settings '{"sandbox":{"enabled":false},"agents":{"permissionMode":"acceptEdits"}}'`;
const ready = 'Ask for something.';

async function send(stage: Stage, text: string): Promise<void> {
  await stage.shows(ready);
  stage.type(text);
  await Bun.sleep(300);
  stage.press('Enter');
}

export const moments: readonly Moment[] = [
  { name: 'welcome', title: 'The first screen', play: (stage) => stage.shows(ready) },
  {
    name: 'answer',
    title: 'An answer, and what it took',
    async play(stage) {
      await send(stage, 'Why is the sum NaN?');
      return stage.shows('Done in');
    },
  },
  {
    name: 'approval',
    title: 'A question about an edit',
    flags: unconfined,
    async play(stage) {
      await send(stage, 'Fix the sum');
      await stage.shows(/asks:/);
      return stage.shows(/esc\s+sets\s+it\s+aside/);
    },
  },
  {
    name: 'plan',
    title: 'A plan that waits for its approval',
    flags: '--permission-mode plan',
    async play(stage) {
      await send(stage, 'Plan it');
      await stage.shows('has a plan');
      return stage.shows(/esc\s+sets\s+it\s+aside/);
    },
  },
  {
    name: 'model',
    title: 'A list: which model',
    async play(stage) {
      await send(stage, '/model');
      await stage.shows('Which model?');
      stage.press('Down');
      return stage.shows(/❯ +anthropic\/claude-opus/);
    },
  },
  {
    name: 'settings',
    title: 'Settings, searched and changed in place',
    async play(stage) {
      await send(stage, '/config');
      await stage.shows('esc goes back');
      stage.type('terminal');
      return stage.shows('Search: terminal');
    },
  },
  {
    name: 'transcript',
    title: 'The whole conversation, with a search in it',
    async play(stage) {
      await send(stage, 'Why is the sum NaN?');
      await stage.shows('Done in');
      stage.press('C-o');
      await stage.shows('Transcript');
      stage.type('/');
      await stage.shows('Search:');
      stage.type('values');
      await stage.shows('Search: values');
      stage.press('Enter');
      return stage.shows('Line ');
    },
  },
  {
    name: 'changes',
    title: 'What changed in this session',
    flags: '--permission-mode acceptEdits',
    async play(stage) {
      await send(stage, 'Fix the sum');
      await stage.shows('Done in');
      await send(stage, '/diff');
      await stage.shows('Show which changes?');
      stage.press('Enter');
      return stage.shows('Changes in this session');
    },
  },
  {
    name: 'agents',
    title: 'Agents below the prompt',
    flags: unconfined,
    async play(stage) {
      await send(stage, 'Three agents');
      await stage.shows('Three agents are running.');
      await stage.shows('1 question');
      stage.press('Down');
      return stage.shows('return opens');
    },
  },
  {
    name: 'tasks',
    title: 'All work of the session in one table',
    flags: unconfined,
    async play(stage) {
      await send(stage, 'Three agents');
      await stage.shows('Three agents are running.');
      await stage.shows('1 question');
      stage.press('C-t');
      return stage.shows('Tasks · ');
    },
  },
  {
    name: 'bypass',
    title: 'The mode that asks nothing is red; pasted text is short',
    flags: '--dangerously-skip-permissions',
    async play(stage) {
      await stage.shows(ready);
      stage.paste('a line of a log\n'.repeat(5_000));
      return stage.shows('Pasted text');
    },
  },
  {
    name: 'team',
    title: 'A team: who works on what, who waits for whom, their mail',
    flags: 'demo teams',
    async play(stage) {
      await stage.shows(/1 question/);
      await send(stage, '/team');
      return stage.shows('Team degrees');
    },
  },
  {
    name: 'board',
    title: 'The board of a team',
    flags: 'demo teams',
    async play(stage) {
      await stage.shows(/1 question/);
      await send(stage, '/board');
      return stage.shows('Board · ');
    },
  },
  {
    name: 'help',
    title: 'Keys and commands',
    async play(stage) {
      await stage.shows(ready);
      stage.type('?');
      return stage.shows('Keys');
    },
  },
  {
    name: 'command-line',
    title: 'The command line: a typo, and the help of a command',
    flags: '!PROGRAM modles </dev/null; echo; PROGRAM help mcp add',
    play: (stage) => stage.shows('a URL'),
  },
];
