import { expect, test } from 'bun:test';
import { type ModelRequest, type TranscriptRecord, totalTokens } from '../../src/protocol/index.ts';
import { call, calls, lastUserText, say } from '../../src/testing/index.ts';
import { formatCounts, fromRecords, type View } from '../../src/view/index.ts';
import { openStory, quiet } from '../agents/support.ts';
import { watch } from './support.ts';

const hire = (prompt: string) =>
  call('Agent', { description: prompt, prompt, name: prompt.toLowerCase(), run_in_background: true });

const lead = (request: ModelRequest) => {
  const text = lastUserText(request);
  if (text === 'Go') return calls([hire('Look'), hire('Read')]);
  return text === 'Write' ? call('SendMessage', { to: 'look', message: 'Look again.' }) : say('Ok.');
};
const glob = call('Glob', { pattern: '*' });

/** Two agents, of which one was gone on with. */
async function twoAgents() {
  const story = await openStory({
    lead,
    agents: { Look: [glob, say('Seen.'), glob, glob, say('Seen again.')], Read: [glob, say('Read.')] },
  });
  await story.prompt('Go');
  await quiet(story);
  const first = watch(story.events);
  await story.prompt('Write');
  await quiet(story);
  return { story, first };
}

const named = ({ agents }: View, description: string) => {
  const found = [...agents.values()].find((agent) => agent.description === description);
  if (!found) throw new Error(`no agent ${description}`);
  return found;
};

test('UI4 tokens of the lead and of all agents are those of the session, also where one was gone on with', async () => {
  const { story, first } = await twoAgents();
  const view = watch(story.events);
  await story.session.close();
  const { cost, agents } = view;
  const own = cost.byAgent.get(null);
  const rows = [...agents.values()].reduce((sum, { tokens }) => sum + tokens, 0);
  expect(rows).toBeGreaterThan(0);
  expect(rows + (own ? totalTokens(own.usage) : 0)).toBe(totalTokens(cost.usage));
  for (const { id, tokens } of agents.values()) {
    const bill = cost.byAgent.get(id);
    expect(bill && totalTokens(bill.usage)).toBe(tokens);
  }
  expect(named(view, 'Look').tokens).toBeGreaterThan(named(first, 'Look').tokens);
});

test('what is said of an agent that was gone on with counts all its runs, and says so', async () => {
  const { story, first } = await twoAgents();
  const view = watch(story.events);
  await story.session.close();
  const agent = { ...named(view, 'Look'), startedAt: 5_000, endedAt: 7_000, earlierMs: 3_000, tokens: 850 };
  expect(formatCounts(agent, 9_000)).toBe('2 runs · 3 tools · 850 tokens · 5s');
  expect(formatCounts({ ...named(first, 'Look'), startedAt: 0, endedAt: 1_000, tokens: 1 }, 9_000)).toBe(
    '1 tool · 1 token · 1s',
  );
});

test('UI4 a session that is gone on with says the same of its agents', async () => {
  const { story } = await twoAgents();
  const before = watch(story.events);
  await story.session.close();
  const resume = { from: 'id', id: story.session.id } as const;
  const again = await openStory({ lead: [say('Hm.')], agents: {} }, { resume }, story.at);
  await again.prompt('More');
  const path = again.session.info().transcriptPath ?? '';
  const lines = (await Bun.file(path).text()).trimEnd().split('\n');
  const view = fromRecords(lines.map((line) => JSON.parse(line) as TranscriptRecord));
  const { rows } = again.session.cost();
  await again.session.close();
  for (const { id, tokens, toolUses } of before.agents.values()) {
    expect(view.agents.get(id)).toMatchObject({ tokens, toolUses });
    const own = rows.filter((row) => row.agentId === id);
    expect(own.reduce((sum, { usage }) => sum + totalTokens(usage), 0)).toBe(tokens);
  }
});
