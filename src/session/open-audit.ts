import { ok, type Result } from '../lib/result.ts';
import type { Audit, AuditBody } from '../permissions/audit.ts';
import type { Surroundings } from './surroundings.ts';

/** The session's audit log. Its file is opened at the first entry: a run in which nothing is asked pays nothing for it. */
export class SessionAudit {
  #opened: Promise<Audit> | undefined;

  /** `isKept` is false where nothing of the session is stored. */
  constructor(
    private readonly sessionId: string,
    private readonly place: Surroundings,
    private readonly isKept: boolean,
  ) {}

  async write(entry: AuditBody): Promise<Result<void>> {
    if (!this.isKept) return ok(undefined);
    this.#opened ??= this.#open();
    return (await this.#opened).write(entry);
  }

  async #open(): Promise<Audit> {
    const { openAudit } = await import('../permissions/audit.ts');
    const { layout, cwd, clock, secrets } = this.place;
    const { sessionId } = this;
    return openAudit({ home: layout.home, sessionId, cwd, clock, hide: (text) => secrets.hide(text) });
  }
}
