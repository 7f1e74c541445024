import { complain } from '../headless/complain.ts';
import { processIo } from '../headless/process-io.ts';
import { isTerminal } from '../lib/is-terminal.ts';
import { ok, type Problem, type Result } from '../lib/result.ts';
import type { SessionOptions } from '../session/options.ts';
import type { RipgrepSource } from '../tools/search/ripgrep.ts';
import { closedDirectory } from './directory.ts';
import { repeatFlags } from './report.ts';
import { buildRequest } from './request.ts';
import type { MainFlags } from './table/main-flags.ts';

/**
 * The main command: the terminal app on a terminal, otherwise one answer. `--input-format stream-json` implies headless:
 * hosts do not pass `-p`.
 */
export async function runFromFlags(
  flags: MainFlags,
  prompt: string | undefined,
  ripgrep: RipgrepSource,
): Promise<number> {
  const closed = closedDirectory();
  if (closed) return complain(processIo(), closed);
  const request = buildRequest(flags, prompt, process.cwd());
  if (!request.ok) return complain(processIo(), request.problem);
  const placed = await takeTeamPart(request.value.session);
  if (!placed.ok) return complain(processIo(), placed.problem);
  const session = { ...placed.value, ripgrep };
  const { print, inputFormat } = flags.output;
  const refused = inputFormat === 'stream-json' ? refuseHostEnvironment(process.env) : undefined;
  if (refused) return complain(processIo(), refused);
  const headless = print || inputFormat === 'stream-json' || !isTerminal(1);
  if (headless && flags.session.byHand && inputFormat === 'text') return complain(processIo(), notByHand);
  if (headless) {
    const { runHeadless } = await import('../headless/run-headless.ts');
    return runHeadless({ ...request.value, session });
  }
  if (!isTerminal(0)) return complain(processIo(), notATerminal);
  const { startTui } = await import('./terminal.ts');
  const demo = async () => {
    const { startDemo } = await import('./demo/start.ts');
    return startDemo(undefined, {}, ripgrep);
  };
  // On a terminal, --resume without an id asks which one.
  const picks = flags.session.resume === true;
  const { resume: _, fork: __, ...fresh } = session;
  const passOn = (command: string) => repeatFlags(command, flags);
  return startTui({
    ...{ session: picks ? fresh : session, prompt, demo, passOn },
    pickSession: picks ? (flags.session.forkSession ? 'fork' : 'resume') : undefined,
    screenReader: flags.output.screenReader,
  });
}

/** In a pane that a team's leader opened, everything but the address is in a file that the leader wrote. */
async function takeTeamPart(session: SessionOptions): Promise<Result<SessionOptions>> {
  if (session.teamMember === undefined) return ok(session);
  const { readTeamPart } = await import('./team/team-part.ts');
  return readTeamPart(session, session.teamMember);
}

const notByHand: Problem = {
  kind: 'usage',
  message: '--by-hand needs the terminal app, where you enter the recorded prompts and answers.',
  hint: 'Leave it out to use the recorded ones.',
};

const notATerminal: Problem = {
  kind: 'usage',
  message: 'stdin is not a terminal.',
  hint: 'Use cadre -p "…" for non-interactive runs.',
};

/** Variables by which hosts ask for what this version does not do. Inherited ones matter to hosts alone. */
const unsupported = ['CLAUDE_CODE_QUESTION_PREVIEW_FORMAT'];

export function refuseHostEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Problem | undefined {
  const found = unsupported.find((name) => environment[name]);
  if (found === undefined) return undefined;
  return {
    kind: 'usage',
    message: `The host asks for ${found}=${environment[found]}, which this version does not support.`,
    hint: 'Leave out toolConfig.askUserQuestion.previewFormat, or unset the variable.',
  };
}
