import { join } from 'node:path';
import { type ModelRequest, textOf } from '../src/protocol/index.ts';
import { type CapturedRequest, call, calls, say, type TurnMaker } from '../src/testing/index.ts';

const readTurns = 5;

export function listFileNames(agents: number): string[] {
  return Array.from({ length: agents * readTurns }, (_, index) => `file-${index}.txt`);
}

const jobOf = (text: string) => /Job (\d+)\./.exec(text)?.[1];

/** A lead that starts all agents in one message and then is done; each agent reads a file on every turn. */
export function answerer(workspace: string, agents: number): TurnMaker {
  return (request: ModelRequest) => {
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    const first = request.messages[0];
    const job = jobOf(first?.role === 'user' ? textOf(first.content) : '');
    if (job === undefined) return turn === 0 ? delegation(agents) : say('All of them are back.');
    if (turn === readTurns) return say(`Job ${job} is done.`);
    return call('Read', { file_path: join(workspace, `file-${Number(job) * readTurns + turn}.txt`) });
  };
}

function delegation(agents: number) {
  return calls(
    Array.from({ length: agents }, (_, job) =>
      call('Agent', {
        description: 'Read files',
        prompt: `Job ${job}. Read what you need.`,
        subagent_type: 'Explore',
      }),
    ),
  );
}

/** From the first request to the end of the last answer, beside what the model alone would have taken for that. */
export function criticalPath(requests: readonly CapturedRequest[], agents: number) {
  const took = ({ at, endedAt }: CapturedRequest) => (endedAt ?? at) - at;
  const jobs = new Map<string, CapturedRequest[]>();
  for (const request of requests) {
    const [first] = (request.json?.messages ?? []) as { content: unknown }[];
    const job = jobOf(JSON.stringify(first?.content)) ?? 'lead';
    jobs.set(job, [...(jobs.get(job) ?? []), request]);
  }
  const lead = jobs.get('lead') ?? [];
  const others = [...jobs].filter(([job]) => job !== 'lead').map(([, own]) => own);
  const wrong =
    lead.length !== 2 || others.length !== agents || others.some((own) => own.length !== readTurns + 1);
  if (wrong) throw new Error(`unexpected requests: ${requests.length}`);
  const sum = (own: readonly CapturedRequest[]) => own.reduce((total, one) => total + took(one), 0);
  const last = lead[1] as CapturedRequest;
  return {
    span: (last.endedAt ?? last.at) - (lead[0]?.at ?? 0),
    ideal: sum(lead) + Math.max(...others.map(sum)),
    exploreBytes: others[0]?.[0]?.body.length ?? 0,
  };
}
