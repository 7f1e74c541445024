import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelRequest, textOf } from '../../src/protocol/index.ts';
import { call, calls, fakeProvider, say, together } from '../../src/testing/index.ts';
import type { Screen } from './draw.ts';
import { openStage } from './terminal.ts';

export interface Picture {
  name: string;
  title: string;
  screen: Screen;
}

const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');

/** The coordinator's story, stopped where there is something to see. */
export async function playDemo(): Promise<Picture[]> {
  const stage = openStage(`${program} demo`, tmpdir(), {});
  const pictures: Picture[] = [];
  const take = (name: string, title: string, screen: Screen) =>
    pictures.push({ name, title, screen: rename(screen, /\S*cadre-demo-\w+/g, '~/demo') });
  try {
    await stage.shows('a key or return answers');
    stage.press('y');
    take(
      'demo',
      'Two running writers, each in its own worktree',
      await stage.shows(/@kelvin Add Kelvin +running/),
    );
    stage.press('C-t');
    take(
      'coordinator',
      'The task panel: workers, scratchpad, leases, worktrees',
      await stage.shows('return opens'),
    );
    stage.press('Escape');
    await stage.shows('lead asks: Land');
    await stage.shows('a key or return answers');
    stage.press('y');
    const landed = await stage.shows('goes back to its owner');
    take('worktrees', 'A landing with a conflict, which goes back to its owner', landed);
    return pictures;
  } finally {
    stage.close();
  }
}

/** The team's story, where one of them asks the user. */
export async function playTeam(): Promise<Picture[]> {
  const stage = openStage(`${program} demo teams`, tmpdir(), {});
  try {
    await stage.shows(/writer +asks you/);
    stage.press('/team');
    await stage.shows('❯ /team');
    stage.press('Enter');
    const screen = await stage.shows('Who waits for whom');
    return [{ name: 'teams', title: 'A team of four: who is at what, who waits, who wrote to whom', screen }];
  } finally {
    stage.close();
  }
}

/** A plan, and its approval. */
export async function playPlan(): Promise<Picture[]> {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-picture-'));
  const work = join(directory, 'parser');
  mkdirSync(work);
  spawnSync('git', ['init', '-q', '-b', 'main'], { cwd: work });
  await using provider = await fakeProvider({ script: plannedTurns });
  const stage = openStage(
    `${program} --permission-mode plan "Comments in the grammar: how would we add them?"`,
    work,
    {
      CADRE_HOME: join(directory, 'state'),
      ANTHROPIC_BASE_URL: provider.url,
      ANTHROPIC_API_KEY: 'a-key',
    },
  );
  try {
    await stage.shows('Approve this plan?');
    const screen = rename(await stage.shows('a key or return answers'), work, '~/parser');
    const title = 'A plan that waits for its approval';
    return [{ name: 'plan-mode', title, screen: rename(screen, join(directory, 'state'), '~/.cadre') }];
  } finally {
    stage.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A place of this run by the name that a user would see. */
function rename(screen: Screen, place: string | RegExp, name: string): Screen {
  return { ...screen, text: screen.text.replaceAll(place, name) };
}

const plan = `# Comments in the grammar

1. \`lexer.ts\`: a token for \`#\` up to the end of the line; it ends no statement.
2. \`parser.ts\`: leave comments out between statements, keep them before a declaration.
3. \`print.ts\`: write them back where they stood.
4. Tests: a comment at the end of a file, in an empty block, after a string with \`#\` in it.

Risk: the printer's golden files change, all of them in the same way.
`;

function plannedTurns(request: ModelRequest) {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  if (firstText(request) === 'Look.') return say('The lexer is in lexer.ts, the printer in print.ts.');
  if (turn === 0)
    return together(
      say('Two agents look first; nothing is changed until you have seen a plan.'),
      calls(
        ['Read the lexer', 'Read the printer'].map((description) =>
          call('Agent', { description, prompt: 'Look.', subagent_type: 'Explore' }),
        ),
      ),
    );
  if (turn === 1) return call('Write', { file_path: planFileIn(request), content: plan });
  return call('ExitPlanMode', {});
}

function firstText({ messages }: ModelRequest): string {
  const [first] = messages;
  return first?.role === 'user' ? textOf(first.content) : '';
}

/** The harness names the one file that can be written. */
function planFileIn({ messages }: ModelRequest): string {
  const said = messages.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : [])).join('\n');
  return /\S+\/plans\/[\w.-]+\.md/.exec(said)?.[0] ?? '';
}
