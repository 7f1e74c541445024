import { complain } from '../../headless/complain.ts';
import { Frames } from '../../headless/frames.ts';
import { type Io, writeFrame } from '../../headless/io.ts';
import { unreadOutput } from '../../headless/run-prompt.ts';
import { systemClock } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import type { Session } from '../../session/session.ts';
import { renderEnd } from '../../session/workflows/render-run.ts';
import type { RunEnd } from '../../workflows/run-types.ts';

/** A run as frames on stdout, those of `cadre -p --output-format stream-json`, with the end of the run as the last one. */
export class RunStream {
  readonly #frames: Frames;
  readonly #written: Promise<boolean>;

  constructor(
    private readonly io: Io,
    private readonly session: Session,
  ) {
    this.#frames = new Frames(session.info(), randomIds, {
      ...{ includePartialMessages: false, replayUserMessages: false, includeHookEvents: false },
      ...{ forwardSubagentText: false, clock: systemClock },
    });
    const events = session.events(() => {
      void complain(io, unreadOutput);
      void session.close();
    });
    this.#written = this.#write(events);
  }

  /** Call it when the session is closed: its events end then. False when the reader is gone. */
  async finish(end: RunEnd, durationMs: number): Promise<boolean> {
    const isWritten = await this.#written;
    const text = this.session.hide(renderEnd(end));
    return (await writeFrame(this.io, this.#frames.workflowResult(end, text, durationMs))) && isWritten;
  }

  async #write(events: AsyncIterable<AgentEvent>): Promise<boolean> {
    let isWritten = true;
    for await (const event of events)
      for (const frame of this.#frames.of(event)) isWritten = (await writeFrame(this.io, frame)) && isWritten;
    return isWritten;
  }
}
