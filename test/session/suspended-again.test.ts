import { expect, test } from 'bun:test';
import { type Company, flat, listAgents, nested, type Opening, openings, Walk } from './openings.ts';

/** Opens a suspended session in these ways before the reset, and once after it: every agent continues once, and is heard of once. */
async function walkThrough(company: Company, sequence: readonly Opening[]): Promise<void> {
  await using walk = await Walk.begin(company);
  await walk.start();
  const sent = walk.sent;
  for (const opening of sequence) await walk.again(opening);
  expect(walk.sent).toBe(sent);
  const session = await walk.reset();
  expect(walk.reported.toSorted()).toEqual(walk.jobs.toSorted());
  expect(listAgents(session).map(({ status, suspended }) => ({ status, suspended }))).toEqual(
    walk.jobs.map(() => ({ status: 'completed' as const, suspended: undefined })),
  );
  const heard = JSON.stringify(session.messages());
  for (const job of company.below.lead ?? []) expect(heard.split(`Report of ${job}.`)).toHaveLength(2);
  await session.close();
  const last = await walk.open({});
  expect(last.continueSuspended()).toBe(false);
  await last.close();
}

test('G13 a prompt before the reset leaves all suspended agents to be continued', async () => {
  await walkThrough(flat, ['prompt']);
});

test('G13 agents below another one continue, however often the session was opened before the reset', async () => {
  await walkThrough(nested, ['continue']);
});

/** The same sequences each time. */
function listSequences(): Opening[][] {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pick = () => openings[next(openings.length)] ?? 'continue';
  const longer = Array.from({ length: 6 }, () => Array.from({ length: 2 + next(3) }, pick));
  return [[], ...openings.map((one) => [one]), ...longer];
}

for (const [name, company] of Object.entries({ flat, nested }))
  for (const sequence of listSequences())
    test(`G13 suspended agents continue once after: ${name}, ${sequence.join(', ') || 'nothing'}`, async () => {
      await walkThrough(company, sequence);
    });
