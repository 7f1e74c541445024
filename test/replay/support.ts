import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import type { AgentEvent, Model, Outcome, Tool } from '../../src/protocol/index.ts';
import { recordRun } from '../../src/replay/record.ts';
import type { Reel } from '../../src/replay/reel.ts';
import { type Replay, replayRun } from '../../src/replay/replay.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { createLayout } from '../../src/store/layout.ts';
import { coreTools } from '../../src/tools/index.ts';
import { installedRipgrep } from '../../src/tools/search/ripgrep.ts';
import { temporaryDirectory } from '../support/index.ts';

export const secret = 'sk-very-secret-key-0123456789';

export interface Place {
  cwd: string;
  userHome: string;
  home: string;
  tape: string;
}

export function place(files: Record<string, string> = {}, path = temporaryDirectory().path): Place {
  const cwd = join(path, 'work');
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const userHome = join(path, 'user');
  return { cwd, userHome, home: join(userHome, '.cadre'), tape: join(path, 'run.tape') };
}

/** A session whose models, tools, clock, ids and commands go through a reel, as a full wiring would have it. */
export interface Wired {
  session: Session;
  events: AgentEvent[];
  prompt(text: string): Promise<Outcome>;
  /** Every event, the transcript as it is on disk, and what the end of the reel says. */
  close(): Promise<{ events: string[]; transcript: string; problem: string | undefined }>;
}

export async function wire(
  at: Place,
  reel: Reel,
  model: Model,
  options: SessionOptions = {},
): Promise<Wired> {
  const chosen = reel.openModel('', () => ok(model));
  if (!chosen.ok) throw new Error(chosen.problem.message);
  const { onQuestion: given, ownTools = [], ...rest } = options;
  const onQuestion = reel.wrapQuestions(given);
  const opened = await openSession({
    cwd: at.cwd,
    environment: {
      PATH: process.env.PATH ?? '',
      HOME: at.userHome,
      CADRE_HOME: at.home,
      SHELL: '/bin/sh',
      ANTHROPIC_API_KEY: secret,
    },
    model: chosen.value,
    clock: reel.clock,
    ids: reel.ids,
    permissionMode: 'bypassPermissions',
    sandbox: false,
    ownTools: [...coreTools(installedRipgrep(), at.home), ...ownTools].map((tool: Tool) =>
      reel.wrapTool(tool),
    ),
    ...(onQuestion ? { onQuestion } : {}),
    ...rest,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return follow(opened.value, reel);
}

function follow(session: Session, reel: Reel): Wired {
  const events: AgentEvent[] = [];
  const listeners = new Set<() => void>();
  void (async () => {
    for await (const event of session.events()) {
      events.push(event);
      for (const listener of [...listeners]) listener();
    }
  })();
  const runs = () => events.flatMap((event) => (event.type === 'run_ended' ? [event.outcome] : []));
  return {
    session,
    events,
    async prompt(text) {
      const before = runs().length;
      const taken = reel.takeCommand({ type: 'prompt', content: text }, () =>
        session.send({ type: 'prompt', content: text }),
      );
      if (!taken.ok) throw new Error(taken.problem.message);
      while (runs().length === before)
        await new Promise<void>((resolve) => {
          listeners.add(resolve);
        });
      return runs().at(-1) as Outcome;
    },
    async close() {
      const path = session.info().transcriptPath ?? '';
      await session.close();
      const finished = reel.finish();
      return {
        events: events.map((event) => JSON.stringify(event)),
        transcript: readFileSync(path, 'utf8'),
        problem: finished.ok ? undefined : finished.problem.message,
      };
    },
  };
}

const placesOf = ({ cwd, home, userHome }: Place) => ({ cwd, home, userHome, project: projectOf(home, cwd) });

/** The name that the state directory gives to the working directory. */
const projectOf = (home: string, cwd: string) =>
  basename(dirname(createLayout(home).session(cwd, '00000000-0000-4000-8000-000000000001').transcript));

/** As a session hides it: with the name of the variable that holds it. */
export const mark = '[masked: ANTHROPIC_API_KEY]';
const hide = (text: string) => text.replaceAll(secret, mark);

export function recording(at: Place): Reel {
  const reel = recordRun(at.tape, { secrets: [secret], hide, places: placesOf(at), clock: systemClock });
  if (!reel.ok) throw new Error(reel.problem.message);
  return reel.value;
}

export async function replaying(at: Place, tape = at.tape, patienceMs = 2_000): Promise<Replay> {
  const reel = await replayRun(tape, {
    secrets: [secret],
    hide,
    places: placesOf(at),
    clock: systemClock,
    patienceMs,
  });
  if (!reel.ok) throw new Error(reel.problem.message);
  return reel.value;
}

/** Says where something of one machine is, so that what two machines did can be compared. */
export function placeless(at: Place, text: string): string {
  return text
    .replaceAll(at.cwd, '{cwd}')
    .replaceAll(projectOf(at.home, at.cwd), '{project}')
    .replaceAll(at.home, '{home}')
    .replaceAll(at.userHome, '{userHome}');
}
