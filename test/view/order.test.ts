import { beforeAll, describe, expect, test } from 'bun:test';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { call, calls, say, together } from '../../src/testing/index.ts';
import type { ShownConversation, View } from '../../src/view/index.ts';
import { openStory } from '../agents/support.ts';
import { ownerOf, told, watch } from './support.ts';

const names = ['One', 'Two', 'Three', 'Four'];
let events: AgentEvent[] = [];

beforeAll(async () => {
  const story = await openStory(
    {
      lead: [
        calls(names.map((prompt) => call('Agent', { description: prompt, prompt, subagent_type: 'scout' }))),
        say('All have come.'),
      ],
      agents: Object.fromEntries(
        names.map((name) => [
          name,
          [
            together(
              say(`${name} begins with a few words.`),
              call('Glob', { pattern: name }),
              call('Glob', { pattern: `${name}*` }),
            ),
            call('Bash', { command: `echo ${name}` }),
            say(`${name} is done, and says so at some length.`),
          ],
        ]),
      ),
    },
    {
      agents: { scout: { description: 'x', prompt: 'You look.' } },
      streamAgents: true,
      permissionMode: 'bypassPermissions',
      allowBypass: true,
    },
  );
  await story.prompt('Go');
  await story.session.close();
  events = story.events;
});

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

describe('whatever order the events of different agents come in', () => {
  test.each(seeds)('each conversation is the same (%i)', (seed) => {
    const plain = watch(events);
    const mixed = watch(interleave(events, seed));
    expect([...mixed.agents.keys()].sort()).toEqual([...plain.agents.keys()].sort());
    for (const [id, { conversation }] of plain.agents)
      expect(mixed.agents.get(id)?.conversation).toEqual(conversation);
    expect(told(mixed.lead).at(-2)).toBe('says: All have come.');
  });
});

describe('a reader that was too slow for streamed pieces', () => {
  test.each(seeds)('has the same finished conversations (%i)', (seed) => {
    const random = seeded(seed);
    const isDroppable = ({ type }: AgentEvent) => type === 'model_streamed' || type === 'tool_progressed';
    const some = events.filter((event) => !isDroppable(event) || random() < 0.5);
    expect(some.length).toBeLessThan(events.length);
    expect(finished(watch(some))).toEqual(finished(watch(events)));
  });
});

/** Events of the lead stay where they are; neighbours of different agents change places at random. */
function interleave(all: readonly AgentEvent[], seed: number): AgentEvent[] {
  const mixed = [...all];
  const random = seeded(seed);
  for (let round = 0; round < 40; round++)
    for (let index = 1; index < mixed.length; index++) {
      const [before, after] = [mixed[index - 1], mixed[index]];
      if (!before || !after || random() < 0.5) continue;
      const [left, right] = [ownerOf(before), ownerOf(after)];
      if (left === null || right === null || left === right) continue;
      [mixed[index - 1], mixed[index]] = [after, before];
    }
  return mixed;
}

function finished({ lead, agents }: View): unknown[] {
  const withoutLive = ({ entries }: ShownConversation) =>
    entries.map((entry) => ('liveId' in entry ? { ...entry, liveId: null } : entry));
  return [lead, ...[...agents.values()].map(({ conversation }) => conversation)].map(withoutLive);
}

function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
