import { failure, ok, type Result } from '../../lib/result.ts';
import type { TeammateMode } from '../../protocol/team.ts';
import type { ExecutorType } from './executor.ts';
import type { TmuxPlace } from './tmux-panes.ts';

/** What is known about the terminal of this process. */
export interface TerminalFacts {
  /** False with `-p`, from the library, and without a terminal. */
  isInteractive: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether a teammate could be opened in another process, whatever the terminal. */
  passable: Result<void>;
  /** The absolute path of a program for our own use. */
  findProgram(name: 'tmux' | 'it2'): string | undefined;
}

export interface ExecutorChoice {
  type: ExecutorType;
  /** Why there are no panes, for the user. Said once, by whoever asks first. */
  reason?: string;
}

/**
 * Where teammates run (TM3). Looked at once, for the first teammate: the terminal of a process does not change.
 */
export function openDetection(
  mode: TeammateMode,
  readFacts: () => TerminalFacts,
): { choose(): Result<ExecutorChoice>; takeReason(): string | undefined } {
  let chosen: Result<ExecutorChoice> | undefined;
  let isTold = false;
  const choose = () => {
    chosen ??= chooseExecutor(mode, readFacts());
    return chosen;
  };
  return {
    choose,
    takeReason() {
      const choice = choose();
      if (isTold || !choice.ok || choice.value.reason === undefined) return undefined;
      isTold = true;
      return choice.value.reason;
    },
  };
}

export function chooseExecutor(mode: TeammateMode, facts: TerminalFacts): Result<ExecutorChoice> {
  if (!facts.isInteractive || mode === 'in-process') return ok({ type: 'in-process' });
  if (!facts.passable.ok)
    return mode === 'auto'
      ? ok({ type: 'in-process', reason: facts.passable.problem.message })
      : facts.passable;
  switch (mode) {
    case 'tmux':
      return facts.findProgram('tmux') ? ok({ type: 'tmux' }) : failure(...missingTmux);
    case 'iterm2':
      if (!isIterm(facts)) return failure(...notIterm);
      return facts.findProgram('it2') ? ok({ type: 'iterm2' }) : failure(...missingIt2);
    case 'command':
      return ok({ type: 'command' });
    case 'auto':
      return ok(chooseAutomatically(facts));
  }
}

const missingTmux = [
  'teammateMode is "tmux", but tmux is not installed.',
  'Install it (apt install tmux, brew install tmux), or set teammateMode to "auto".',
] as const;
const notIterm = [
  'teammateMode is "iterm2", but this terminal is not iTerm2.',
  'Start Cadre in iTerm2, or set teammateMode to "auto".',
] as const;
const missingIt2 = [
  'teammateMode is "iterm2", but its command-line program it2 is not installed.',
  'Install it (pip install it2), and turn on "Enable Python API" in the settings of iTerm2.',
] as const;

function chooseAutomatically(facts: TerminalFacts): ExecutorChoice {
  const hasTmux = facts.findProgram('tmux') !== undefined;
  if (readTmuxPlace(facts.environment) && hasTmux) return { type: 'tmux' };
  if (!isIterm(facts)) return { type: 'in-process', reason: hasTmux ? startTmux : installTmux };
  if (facts.findProgram('it2')) return { type: 'iterm2' };
  if (hasTmux) return { type: 'tmux' };
  return { type: 'in-process', reason: installIt2 };
}

const startTmux =
  'Teammates run in this process, without panes: this terminal is neither in tmux nor iTerm2. For panes, start Cadre inside tmux, or set teammateMode to "tmux" or "command".';
const installTmux =
  'Teammates run in this process, without panes: tmux is not installed, and this terminal is not iTerm2. For panes, install tmux and start Cadre inside it, or set teammateMode to "command".';
const installIt2 =
  'Teammates run in this process, without panes: neither it2 nor tmux is installed. For panes in iTerm2, run: pip install it2';

function isIterm({ environment }: TerminalFacts): boolean {
  return environment.TERM_PROGRAM === 'iTerm.app' && Boolean(environment.ITERM_SESSION_ID);
}

/** The pane of tmux that this process is in: `TMUX` is `socket,pid,session`. */
export function readTmuxPlace(
  environment: Readonly<Record<string, string | undefined>>,
): TmuxPlace | undefined {
  const [, socket] = /^(\/.+),\d+,\d+$/.exec(environment.TMUX ?? '') ?? [];
  const pane = environment.TMUX_PANE ?? '';
  return socket !== undefined && /^%\d+$/.test(pane) ? { socket, pane } : undefined;
}
