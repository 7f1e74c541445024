import { z } from 'zod';
import type { AgentKernel } from '../../agents/kernel.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { AgentContext } from '../../loop/agent-context.ts';
import { askedBy } from '../../loop/asked-by.ts';
import type { Answer, Question } from '../../protocol/index.ts';
import type { Engine } from '../../remote/engine.ts';
import { parseQuietly, streams } from '../../remote/job.ts';
import type { JobKey } from '../../remote/keys.ts';
import { openCursor } from '../../remote/sealed-rows.ts';

const words = z.string().max(200_000);

const questionSchema = z.object({
  id: z.string().min(1).max(200),
  asker: z.object({ type: z.string().max(200), description: z.string().max(1000).optional() }),
  toolUseId: z.string().max(200),
  toolName: z.string().max(200),
  input: z.record(z.string(), z.unknown()),
  cwd: z.string().max(4096),
  decision: z.object({
    behaviour: z.literal('ask'),
    by: z.enum([
      'ceiling',
      'role',
      'rule',
      'mode',
      'default',
      'protected-path',
      'workspace',
      'hook',
      'judge',
      'sandbox',
    ]),
    reason: words,
  }),
  risk: z.object({ level: z.enum(['low', 'medium', 'high']), reasons: z.array(words) }),
  preview: words.optional(),
  allows: words.optional(),
  refuses: words.optional(),
  summary: words,
});

type Asked = z.output<typeof questionSchema>;

export interface QuestionDesk {
  /** A question from the worker: it goes into the session's own queue, once. */
  take(body: string): void;
  /** Answered by an earlier process of the session. */
  noteAnswered(id: string): void;
  readonly isAsking: boolean;
}

/** The questions of a remote agent, with its badge, in the queue of the session that sent it. A missing answer is a denial. */
export function openQuestionDesk(
  { questions, sessionId }: Pick<AgentKernel, 'questions' | 'sessionId'>,
  context: AgentContext,
  signal: AbortSignal,
  send: (id: string, answer: Answer) => Promise<void>,
): QuestionDesk {
  const seen = new Set<string>();
  let waiting = 0;
  const ask = async (asked: Asked) => {
    waiting++;
    const question = buildQuestion(asked, context, sessionId);
    const answer = await questions.propose(question, signal);
    waiting--;
    if (!signal.aborted) await send(asked.id, answer);
  };
  return {
    take(body) {
      const found = questionSchema.safeParse(parseQuietly(body));
      if (!found.success || seen.has(found.data.id)) return;
      seen.add(found.data.id);
      void ask(found.data);
    },
    noteAnswered: (id) => void seen.add(id),
    get isAsking() {
      return waiting > 0;
    },
  };
}

function buildQuestion(asked: Asked, context: AgentContext, sessionId: string): Question {
  const { agentId } = context;
  const { preview, allows, refuses } = asked;
  const { asker, ...times } = askedBy(context);
  return {
    id: `${agentId}/${asked.id}`,
    sessionId,
    agentId,
    asker: nameAsker(asker, asked.asker),
    ...times,
    toolUseId: asked.toolUseId,
    toolName: asked.toolName,
    input: asked.input,
    cwd: asked.cwd,
    decision: asked.decision,
    risk: asked.risk,
    // An answer is for this call: rules of a worker are its own.
    suggestions: [],
    summary: visibleLine(asked.summary, 1000),
    ...(preview === undefined ? {} : { preview }),
    ...(allows === undefined ? {} : { allows }),
    ...(refuses === undefined ? {} : { refuses }),
  };
}

/** An agent below the remote one asks through it. */
function nameAsker(own: Question['asker'], theirs: Asked['asker']): Question['asker'] {
  if (theirs.type === 'lead' || theirs.type === own.type) return own;
  return { ...own, description: visibleLine(`${own.description ?? own.type}: ${theirs.type}`, 200) };
}

/** Questions that an earlier process of the session has answered are not asked again. */
export function withoutAnswered(
  engine: Engine,
  key: JobKey,
  jobId: string,
  desk: QuestionDesk,
): QuestionDesk {
  const read = openCursor(engine, jobId, streams.answers, (signer) => signer === key.name);
  const answered = read().then((rows) => {
    for (const row of rows.ok ? rows.value : []) desk.noteAnswered(row.key);
  });
  return { ...desk, take: (body) => void answered.then(() => desk.take(body)) };
}
