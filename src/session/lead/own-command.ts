import { linkAbort } from '../../lib/abort.ts';
import type { Clock } from '../../lib/clock.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { AgentContext } from '../../loop/agent-context.ts';
import type { SessionFeature } from '../opening.ts';
import type { LeadHands } from './hands.ts';

/** A command of the user's own, typed at the session's prompt. */
export interface OwnCommand {
  command: string;
  /** Ends it and everything that it started. */
  signal: AbortSignal;
  /** Its output as it comes, without the secrets that the session knows. */
  output(chunk: Uint8Array): void;
}

export interface OwnCommandEnd {
  /** Null if it was ended by a signal. */
  code: number | null;
  /** In words, unless it succeeded. */
  reason?: string;
}

export function ownCommandFeature({ hands }: LeadHands): SessionFeature<{ ownCommands: OwnCommands }> {
  return {
    name: 'own commands',
    open({ place, tape }) {
      const world = { clock: place.outside.clock, isReplay: tape?.isReplay === true };
      const commands = new OwnCommands(hands, world);
      return {
        ownCommands: commands,
        async close() {
          await commands.close();
        },
      };
    },
  };
}

/**
 * Runs commands where the lead is, with the lead's environment. As in any other terminal, there are no questions and no
 * sandbox; no agent hears of the commands, and they are on no tape.
 */
export class OwnCommands {
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly hands: Pick<AgentContext['hands'], 'directory' | 'shell' | 'secrets'>,
    private readonly world: { clock: Clock; isReplay: boolean },
  ) {}

  async run(command: OwnCommand): Promise<Result<OwnCommandEnd>> {
    if (this.world.isReplay) return usage('This is a replay: it runs no commands.');
    const running = this.#run(command);
    this.#underWay.add(running);
    return running.finally(() => this.#underWay.delete(running));
  }

  /** Ends all of them. Resolves when they have exited. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#underWay);
  }

  async #run({ command, signal, output }: OwnCommand): Promise<Result<OwnCommandEnd>> {
    const { directory, shell, secrets } = this.hands;
    const controller = new AbortController();
    const unlink = [signal, this.#closing.signal].map((one) => linkAbort(one, controller));
    const mask = secrets?.openStream();
    const { startShell } = await import('../../tools/bash/process.ts');
    const running = await startShell({
      command,
      cwd: directory.current,
      shell: shell.shell,
      env: await shell.environment(),
      fifos: shell.fifos,
      output: (chunk) => output(mask?.add(chunk) ?? chunk),
      clock: this.world.clock,
      signal: controller.signal,
    });
    const { code, signal: by, killed, problem } = await running.ended;
    for (const end of unlink) end();
    if (mask) output(mask.end());
    if (problem !== undefined) return usage(problem);
    if (killed) return ok({ code: null, reason: 'stopped' });
    if (code === null) return ok({ code, reason: `ended by signal ${by}` });
    return ok({ code, ...(code === 0 ? {} : { reason: `exit code ${code}` }) });
  }
}
