import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { totalTokens } from '../../src/protocol/index.ts';
import { call, calls, say } from '../../src/testing/index.ts';
import { buildEarlierView } from '../../src/tui/earlier.ts';
import { formatSummary } from '../../src/view/index.ts';
import { gate, openStory } from '../agents/support.ts';

test('UI4 an agent that a kill cut off keeps what it did and spent, and the figures add up', async () => {
  const hold = gate();
  const reached = gate();
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'Look', prompt: 'Look', subagent_type: 'scout' }), say('Ok.')],
      agents: {
        Look: [
          calls([call('Glob', { pattern: '*' }), call('Glob', { pattern: 'x' })]),
          call('Glob', { pattern: 'y' }),
          () => {
            reached.open();
            return hold.opened.then(() => say('Seen.'));
          },
        ],
      },
    },
    // With a cap the ledger is written at once.
    { agents: { scout: { description: 'x', prompt: 'You look.' } }, maxTokens: 10_000_000 },
  );
  const run = story.prompt('Go');
  await reached.opened;
  // As the files are now a kill would leave them.
  const view = buildEarlierView(story.session.info().transcriptPath ?? '');
  const [agent] = [...view.agents.values()];
  const stored = readFileSync(story.agentTranscript(agent?.id ?? ''), 'utf8');
  const { timestamp } = JSON.parse(stored.trimEnd().split('\n').at(-1) ?? '');
  const { rows } = story.session.cost();
  hold.open();
  await run;
  await story.session.close();

  const spent = rows.find(({ agentId }) => agentId === agent?.id);
  expect(spent && totalTokens(spent.usage)).toBeGreaterThan(0);
  expect(agent).toMatchObject({
    state: 'killed',
    outcome: 'interrupted',
    toolUses: 3,
    tokens: spent && totalTokens(spent.usage),
    endedAt: Date.parse(timestamp),
  });
  // Its last record says when it began to wait, not when the kill came.
  expect(agent && formatSummary(agent)).toMatch(/^interrupted · 3 tools · [\d.k]+ tokens$/);
  // The row in the conversation says the same.
  const summaries = view.lead.entries.flatMap((entry) =>
    entry.kind === 'agents' ? entry.calls.flatMap(({ agents }) => agents) : [],
  );
  expect(summaries).toMatchObject([{ toolUses: 3, tokens: agent?.tokens, endedAt: agent?.endedAt }]);
});
