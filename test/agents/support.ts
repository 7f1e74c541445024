import { mkdirSync } from 'node:fs';
import type { MessageRecord, ModelRequest, Outcome } from '../../src/protocol/index.ts';
import { textOf } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { scriptedModel, type Turn } from '../../src/testing/index.ts';
import { follow, type Opened, type Place, place } from '../session/support.ts';

/** What each agent answers, by the prompt it was started with; forks by the end of their directive. */
export interface Script {
  lead: Turn[];
  agents: Record<string, Turn[]>;
}

export interface Story extends Opened {
  at: Place;
  leadRequests(): ModelRequest[];
  requestsOf(prompt: string): ModelRequest[];
  /** The structured results of the lead's calls, in order. */
  toolData(): unknown[];
  /** Their texts. */
  results(): string[];
  agentTranscript(agentId: string): string;
}

const asked = new Map<string, PromiseWithResolvers<void>>();

/** Resolves when an agent with this prompt has asked its model. */
export function prepared(prompt: string): Promise<void> {
  const found = asked.get(prompt) ?? Promise.withResolvers<void>();
  asked.set(prompt, found);
  return found.promise;
}

export async function openStory(script: Script, options: SessionOptions = {}, at = place()): Promise<Story> {
  mkdirSync(at.cwd, { recursive: true });
  const requests: { who: string | null; request: ModelRequest }[] = [];
  const left = new Map<string | null, Turn[]>([
    [null, [...script.lead]],
    ...Object.entries(script.agents).map(([prompt, turns]) => [prompt, [...turns]] as [string, Turn[]]),
  ]);
  const model = scriptedModel((request) => {
    const who = whoAsks(request, Object.keys(script.agents));
    requests.push({ who, request: { ...request, messages: [...request.messages] } });
    if (who !== null) (asked.get(who) ?? set(who)).resolve();
    const turn = left.get(who)?.shift();
    if (turn === undefined) throw new Error(`${who ?? 'the lead'} was asked once too often`);
    return typeof turn === 'function' ? turn(request) : turn;
  });
  const opened = await openSession({
    cwd: at.cwd,
    environment: at.environment,
    model,
    sandbox: false,
    ...options,
  });
  if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);
  const followed = follow(opened.value, model);
  const leadMessages = () =>
    followed.events.flatMap((event) =>
      event.type === 'message_added' && event.agentId === null ? [event] : [],
    );
  return {
    ...followed,
    at,
    leadRequests: () => requests.filter(({ who }) => who === null).map(({ request }) => request),
    requestsOf: (prompt) => requests.filter(({ who }) => who === prompt).map(({ request }) => request),
    toolData: () => leadMessages().flatMap((event) => (event.toolData === undefined ? [] : [event.toolData])),
    results: () => leadMessages().flatMap(({ record }) => resultTexts(record)),
    agentTranscript: (agentId) =>
      (opened.value.info().transcriptPath ?? '').replace(/\.jsonl$/, `/subagents/agent-${agentId}.jsonl`),
  };
}

function set(prompt: string) {
  const made = Promise.withResolvers<void>();
  asked.set(prompt, made);
  return made;
}

function resultTexts({ type, message }: MessageRecord): string[] {
  if (type !== 'user') return [];
  return message.content.flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : []));
}

/** The lead has no id; an agent is known by its first prompt, or a fork by its directive. */
function whoAsks(request: ModelRequest, prompts: readonly string[]): string | null {
  if (request.asker?.agentId == null) return null;
  const texts = request.messages.flatMap((message) =>
    message.role === 'user'
      ? message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
  const found = prompts.find((prompt) =>
    texts.some((text) => text === prompt || text.endsWith(`\n\n${prompt}`)),
  );
  if (found === undefined) throw new Error(`nobody's prompt: ${texts.at(-1)}`);
  return found;
}

export type { Outcome };
