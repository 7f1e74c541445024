import { homedir } from 'node:os';
import { complain } from '../headless/complain.ts';
import { processIo } from '../headless/process-io.ts';
import { systemClock } from '../lib/clock.ts';
import type { Problem } from '../lib/result.ts';
import type { SessionOptions } from '../session/options.ts';
import { readVariable } from '../settings/environment.ts';
import { settingsTable } from '../settings/table/settings.ts';
import type { TuiRequest } from '../tui/request.ts';
import { startScreen } from '../tui/start.ts';
import { closedDirectory } from './directory.ts';

/** Starts the terminal app on the process's own terminal. A user without a model is led to one first. */
export async function startTui(start: FirstStart): Promise<number> {
  const closed = closedDirectory(start.session.cwd ?? process.cwd());
  if (closed) return complain(processIo(), closed);
  const refused = await runScreen(start);
  if (typeof refused === 'number') return refused;
  const io = processIo();
  const { chooseModel, knowsModel } = await import('./models/setup.ts');
  const { session } = start;
  // A replay asks no model: its problem is something else.
  const needsModel = session.replay === undefined && !(await knowsModel(getModelName(session)));
  const isNewcomer = io.terminal !== undefined && needsModel;
  if (!isNewcomer || !io.terminal) return complain(io, refused);
  io.terminal.show('Welcome. Cadre needs a model to work with; this takes a minute.\n');
  const chosen = await chooseModel(io.terminal);
  if (!chosen.ok) return complain(io, chosen.problem);
  if (chosen.value === 'interrupted') return 130;
  if (chosen.value === 'quit') return 0;
  if (chosen.value === 'demo') return start.demo();
  return showSession(start);
}

export interface TerminalStart {
  session: SessionOptions;
  prompt?: string | undefined;
  pickSession?: 'resume' | 'fork' | undefined;
  show?: TuiRequest['show'];
  attach?: TuiRequest['attach'];
  /** Nothing of the session is kept when it ends. */
  isPassing?: boolean;
  screenReader?: boolean | undefined;
  /** Flags of this start that one of our commands takes too. */
  passOn?(command: string): string[];
}

export interface FirstStart extends TerminalStart {
  demo(): Promise<number>;
}

/** Shows a session until the user quits. */
export async function showSession(start: TerminalStart): Promise<number> {
  const shown = await runScreen(start);
  return typeof shown === 'number' ? shown : complain(processIo(), shown);
}

/** The exit code, or why there was no session to show. */
async function runScreen(start: TerminalStart): Promise<number | Problem> {
  const { session, prompt, pickSession, show, attach, isPassing = false, passOn = () => [] } = start;
  const { env } = process;
  const { screenReader, animation } = settingsTable.terminal.members;
  // The demo's sessions live elsewhere than the user's, so commands about them run there.
  const { environment = env } = session;
  let refused: Problem | undefined;
  const code = await startScreen({
    session,
    isPassing,
    prompt,
    pickSession,
    ...(show ? { show } : {}),
    ...(attach ? { attach } : {}),
    home: env.HOME || homedir(),
    screenReader: start.screenReader || readVariable(screenReader, env) || env.TERM === 'dumb' || undefined,
    animation: readVariable(animation, env) === false ? false : undefined,
    clock: systemClock,
    environment,
    streams: { input: process.stdin, output: process.stdout },
    trustQuestion: async () => {
      // A teammate has the trust that its leader has.
      if (session.teamPart || attach) return undefined;
      const { findTrustQuestion } = await import('./trust/ask-trust.ts');
      const { lookAround } = await import('../session/surroundings.ts');
      const { findOwnDirectory } = await import('../session/own-directory.ts');
      const { options } = await findOwnDirectory(session, lookAround(session));
      return findTrustQuestion(options.cwd ?? process.cwd());
    },
    report: async (words, cwd) => {
      const { runReport } = await import('./report.ts');
      return runReport([...words, ...passOn(words[0] ?? '')], { cwd, environment });
    },
    runHere: async (words, cwd) => {
      const { runHere } = await import('./report.ts');
      return runHere([...words, ...passOn(words.slice(0, 2).join(' '))], { cwd, environment });
    },
    complain(problem) {
      refused = problem;
      return 1;
    },
  });
  return refused ?? code;
}

function getModelName({ model }: SessionOptions): string | undefined {
  return typeof model === 'object' ? model.id : model;
}
