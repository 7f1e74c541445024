import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AgentEvent,
  MessageRecord,
  ModelRequest,
  Outcome,
  TaskView,
  TranscriptRecord,
} from '../../src/protocol/index.ts';
import { textOf } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { scriptedModel, type Turn, type TurnMaker } from '../../src/testing/index.ts';
import { follow, type Opened, type Place, place } from '../session/support.ts';

/** What each agent answers, by the prompt it was started with; forks by the end of their directive. */
export interface Script {
  /** Worked off, or a function that answers whatever the lead asks. */
  lead: Turn[] | TurnMaker;
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
  // Its prompt may be gone after a compaction.
  const known = new Map<string | null, string | null>();
  const requests: { who: string | null; request: ModelRequest }[] = [];
  const left = new Map<string | null, Turn[]>([
    [null, typeof script.lead === 'function' ? [] : [...script.lead]],
    ...Object.entries(script.agents).map(([prompt, turns]) => [prompt, [...turns]] as [string, Turn[]]),
  ]);
  const model = scriptedModel((request) => {
    const who = known.get(request.asker?.agentId ?? null) ?? whoAsks(request, Object.keys(script.agents));
    known.set(request.asker?.agentId ?? null, who);
    requests.push({ who, request: { ...request, messages: [...request.messages] } });
    if (who !== null) (asked.get(who) ?? set(who)).resolve();
    if (who === null && typeof script.lead === 'function') return script.lead(request);
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

/**
 * The same session in a copy of what is on disk at this moment, as after `kill -9`: every record is with the system when
 * its call returns. The old one goes on by itself in its own place until it is closed.
 */
export async function crash(
  story: Pick<Story, 'at' | 'session'>,
  script: Script,
  { after, ...options }: SessionOptions & { after?: (record: TranscriptRecord) => boolean } = {},
): Promise<Story> {
  const at = { ...place(), cwd: story.at.cwd };
  cpSync(join(story.at.home, 'projects'), join(at.home, 'projects'), { recursive: true });
  const path = story.session.info().transcriptPath?.replace(story.at.home, at.home) ?? '';
  if (after) cutAfter(path, after);
  return openStory(script, { resume: { from: 'id', id: story.session.id }, ...options }, at);
}

/** As if the process had been killed right after this record of the lead was written. */
function cutAfter(path: string, after: (record: TranscriptRecord) => boolean): void {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const last = lines.findIndex((line) => after(JSON.parse(line)));
  if (last < 0) throw new Error('no such record');
  writeFileSync(path, `${lines.slice(0, last + 1).join('\n')}\n`);
}

/** Resolves with the first such event from now on. */
export async function nextEvent(
  { session }: Pick<Story, 'session'>,
  wanted: (event: AgentEvent) => boolean,
): Promise<AgentEvent> {
  for await (const event of session.events()) if (wanted(event)) return event;
  throw new Error('the session closed before it happened');
}

/** Resolves when so many of an agent's tasks have ended. */
export function ended(story: Pick<Story, 'session'>, agentId?: string): Promise<AgentEvent> {
  return nextEvent(
    story,
    (event) =>
      event.type === 'task_changed' &&
      event.end !== undefined &&
      (agentId ?? event.task.id) === event.task.id,
  );
}

export function agentTasks({ session }: Pick<Story, 'session'>): TaskView[] {
  return session.tasks().filter((task) => task.kind === 'local_agent');
}

/** How many notifications an agent has been told in all, by what its last request holds. */
export function notifications(requests: readonly ModelRequest[]): string[] {
  const texts = requests
    .at(-1)
    ?.messages.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : []));
  return texts?.join('\n').match(/<task-notification>[\s\S]*?<\/task-notification>/g) ?? [];
}

/** Resolves when neither a run nor an agent is under way. */
export function quiet({ session }: Pick<Story, 'session'>): Promise<void> {
  return session.finished(new AbortController().signal);
}

/** A promise to be kept by the test. */
export function gate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
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
