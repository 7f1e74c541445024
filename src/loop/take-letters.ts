import { fail, ok, type Result } from '../lib/result.ts';
import {
  type AgentEvent,
  type PromptRefusal,
  type PromptWord,
  textOf,
  type UserBlock,
} from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';
import { addUserMessage } from './add-message.ts';
import { addNotes } from './add-notes.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { describeHookPlace } from './hook-place.ts';

export interface TakenLetters {
  /** Whether there is anything new in the conversation. */
  any: boolean;
  /** Why a prompt was not added. */
  refusal?: PromptRefusal;
}

/**
 * Moves waiting letters from the inbox into the conversation. An interrupted run takes none, since it would not answer
 * them; they wait for the next run.
 */
export async function* takeLetters(
  agent: AgentContext,
  which: 'run' | 'steering',
): AsyncGenerator<AgentEvent, TakenLetters> {
  const isOver = () => which === 'steering' && agent.signal.aborted;
  if (isOver()) return { any: false };
  const letters = which === 'run' ? agent.inbox.takeForRun() : agent.inbox.takeSteering();
  const taken: TakenLetters = { any: false };
  let hasReason = false;
  let done = 0;
  try {
    for (const letter of letters) {
      const { content, origin, uuid } = letter;
      // Changes that commands made before a prompt do not belong to it, so a run first records all of them.
      if (which === 'steering' && origin.kind === 'human') await agent.hands.history.settleCommands?.();
      const said = agent.hooks?.promptSubmitted ? await submit(agent, letter) : undefined;
      const read =
        said?.refusal === undefined ? await readLetter(agent, letter) : fail({ reason: said.refusal });
      if (!read.ok) {
        done++;
        taken.refusal = read.problem;
        yield markEvent(agent, { type: 'prompt_refused', ...read.problem, uuid: uuid || undefined });
        continue;
      }
      if (isOver()) break;
      done++;
      if (content.length > 0) yield* addUserMessage(agent, read.value, origin, { uuid: uuid || undefined });
      if (said) yield* addNotes(agent, said.notes);
      hasReason ||= isReason(letter);
      taken.any = true;
    }
  } finally {
    // The run was interrupted, or the last one could not be recorded: the others wait for the next run.
    if (done < letters.length) agent.inbox.putBack(letters.slice(done));
  }
  // What only goes along with a prompt is no reason to run when the prompt was refused.
  return taken.refusal !== undefined && !hasReason ? { ...taken, any: false } : taken;
}

async function readLetter(agent: AgentContext, letter: Letter): Promise<Result<UserBlock[], PromptRefusal>> {
  const { content, origin, isVerbatim = false } = letter;
  return origin.kind === 'human' && agent.readPrompt ? agent.readPrompt(content, isVerbatim) : ok(content);
}

function isReason({ origin, isQuiet }: Letter): boolean {
  return origin.kind !== 'harness' && !isQuiet;
}

/** Only text from a user or a program is a prompt. */
async function submit(agent: AgentContext, { content, origin }: Letter): Promise<PromptWord | undefined> {
  if (origin.kind !== 'human') return undefined;
  return agent.hooks?.promptSubmitted?.(textOf(content), describeHookPlace(agent));
}
