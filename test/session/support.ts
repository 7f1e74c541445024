import { join } from 'node:path';
import type { AgentEvent, Outcome, TranscriptRecord } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { loadTranscript } from '../../src/store/transcript.ts';
import { type ScriptedModel, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';

export interface Place {
  cwd: string;
  home: string;
  environment: Record<string, string>;
}

/** An empty working directory and an empty home of its own. */
export function place(path: string = temporaryDirectory().path): Place {
  const userHome = join(path, 'user');
  const home = join(userHome, '.cadre');
  return {
    cwd: join(path, 'work'),
    home,
    environment: { PATH: process.env.PATH ?? '', HOME: userHome, CADRE_HOME: home, SHELL: '/bin/sh' },
  };
}

export interface Opened {
  session: Session;
  model: ScriptedModel;
  events: AgentEvent[];
  /** Resolves when this many runs of the lead have ended in all. */
  runs(count: number): Promise<Outcome[]>;
  prompt(text: string): Promise<Outcome>;
}

/** Opens a session with a scripted model; fails the test when it cannot. */
export async function open(at: Place, turns: Turn[], options: SessionOptions = {}): Promise<Opened> {
  const model = scriptedModel(turns);
  const opened = await openSession({
    cwd: at.cwd,
    environment: at.environment,
    model,
    sandbox: false,
    ...options,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return follow(opened.value, model);
}

export function follow(session: Session, model: ScriptedModel): Opened {
  const events: AgentEvent[] = [];
  let changed = Promise.withResolvers<void>();
  void (async () => {
    for await (const event of session.events()) {
      events.push(event);
      changed.resolve();
      changed = Promise.withResolvers<void>();
    }
    changed.resolve();
  })();
  const outcomes = () =>
    events.flatMap((event) => (event.type === 'run_ended' && event.agentId === null ? [event.outcome] : []));
  const runs = async (count: number) => {
    while (outcomes().length < count) await changed.promise;
    return outcomes();
  };
  const prompt = async (text: string) => {
    const before = outcomes().length;
    session.send({ type: 'prompt', content: text });
    return (await runs(before + 1)).at(-1) as Outcome;
  };
  return { session, model, events, runs, prompt };
}

export async function recordsOf(session: Session): Promise<TranscriptRecord[]> {
  const loaded = await loadTranscript(session.info().transcriptPath ?? '');
  if (!loaded.ok) throw new Error(loaded.problem.message);
  return loaded.value.records;
}

/** Runs a session on a tape to its end: with a prompt, or with the commands that are on the tape. */
export async function runOnTape(at: Place, options: SessionOptions, prompt?: string) {
  const opened = await openSession({ cwd: at.cwd, environment: at.environment, ...options });
  if (!opened.ok) throw new Error(opened.problem.message);
  const { session, events, runs } = follow(opened.value, undefined as never);
  if (prompt === undefined) for (const command of session.recorded()) session.send(command);
  else session.send({ type: 'prompt', content: prompt });
  await runs(1);
  await session.finished(AbortSignal.timeout(20_000));
  const closed = await session.close();
  return { closed, events };
}
