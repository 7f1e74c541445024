import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { EffortLevel } from '../../protocol/effort.ts';
import type { Model, PermissionMode, Suspension } from '../../protocol/index.ts';
import type { AgentDefinitions } from '../agents/definitions.ts';
import type { CoordinatorChoice } from '../coordinator.ts';
import type { Kernel } from '../kernel.ts';
import type { Models } from '../models.ts';
import { need, type SessionFeature } from '../opening.ts';
import type { LeadPermissions } from '../permissions.ts';
import { noJudge, type SessionJudges } from '../questions/judge.ts';

interface StateParts {
  models: Models;
  permissions: LeadPermissions;
  judges: SessionJudges;
  /** The definition that the lead runs as, if any. */
  agent: string | undefined;
  coordinates: boolean;
}

/** The session's model and mode. Changes by the user are recorded, so that they survive a resume. */
export function stateFeature(
  models: Models,
  permissions: LeadPermissions,
  judges: SessionJudges,
  { main }: AgentDefinitions,
  { on }: CoordinatorChoice,
): SessionFeature<{ state: LeadState }> {
  return {
    name: 'model and mode',
    open(kernel) {
      if (permissions.mode === 'auto') need(judges.checkJudge());
      const state = new LeadState(kernel, {
        models,
        permissions,
        judges,
        agent: main?.name,
        coordinates: on,
      });
      kernel.questions.listen({ setMode: (mode) => state.setMode(mode) });
      return { state };
    },
  };
}

export class LeadState {
  #model: Model;
  #effort: EffortLevel | undefined;
  #noted = '';
  #suspended: Suspension | undefined;

  constructor(
    private readonly kernel: Kernel,
    private readonly parts: StateParts,
  ) {
    this.#model = parts.models.current;
    this.#effort = kernel.restored?.state?.effort;
  }

  get model(): Model {
    return this.#model;
  }

  get mode(): PermissionMode {
    return this.parts.permissions.mode;
  }

  setMode(mode: PermissionMode): Result<void> {
    const { permissions, judges } = this.parts;
    const { events } = this.kernel;
    const judged = mode === 'auto' ? judges.checkJudge() : ok(undefined);
    if (!judged.ok) return judged;
    const changed = permissions.setMode(mode);
    if (!changed.ok) return changed;
    // In the middle of a run too, so that a session that crashes resumes as it was. A failure to write is reported at
    // the next run.
    if (this.#noted !== '') this.note();
    events.tell({ type: 'mode_changed', permissionMode: mode });
    if (mode === 'auto' && !permissions.hasJudge) events.warn(noJudge);
    return changed;
  }

  returnTo(mode: PermissionMode): void {
    this.parts.permissions.returnTo(mode);
  }

  /** Null goes back to the model that the session started with. */
  setModel(name: string | null): Result<void> {
    const resolved = this.parts.models.resolve(name);
    if (!resolved.ok) return resolved;
    this.#model = resolved.value;
    const { id, facts } = this.#model;
    if (this.#effort && !facts.efforts?.includes(this.#effort)) this.#effort = undefined;
    this.kernel.events.tell({ type: 'model_changed', model: id, contextWindow: facts.window });
    return ok(undefined);
  }

  /** The level that the user chose; undefined leaves it to the definition, or to the model. */
  get effort(): EffortLevel | undefined {
    return this.#effort;
  }

  setEffort(effort: EffortLevel | null): Result<void> {
    const { id, facts } = this.#model;
    if (effort !== null && !facts.efforts?.includes(effort)) {
      const levels = facts.efforts?.join(', ');
      return usage(`${id} does not take the effort ${effort}.`, levels ? `It takes ${levels}.` : undefined);
    }
    this.#effort = effort ?? undefined;
    if (this.#noted !== '') this.note();
    return ok(undefined);
  }

  get suspended(): Suspension | undefined {
    return this.#suspended;
  }

  /** The user may have fixed what made requests fail for good: the model is resolved again, with its key. */
  noteUserAction(): void {
    const { models } = this.parts;
    const isBroken = models.isBroken(this.#model.id);
    models.noteUserAction();
    const again = isBroken ? models.resolve(this.#model.id) : undefined;
    if (again?.ok) this.#model = again.value;
  }

  /** A failure to write is reported at the next run. */
  suspend(suspension: Suspension | undefined): void {
    if (suspension?.until === this.#suspended?.until) return;
    this.#suspended = suspension;
    this.note();
  }

  /** Written at the first run and at every change, so that a resumed session finds what was in force. */
  note(): Result<void> {
    const { permissions, agent, coordinates, models } = this.parts;
    const { maxBudgetUsd, maxTokens } = models.caps;
    const state = {
      model: this.#model.id,
      permissionMode: this.mode,
      cwd: this.kernel.place.cwd,
      ...(agent !== undefined && !coordinates ? { agent } : {}),
      ...(coordinates ? { sessionMode: 'coordinator' as const } : {}),
      ...(this.mode === 'plan' ? { planFile: permissions.planFile } : {}),
      ...keepDefined({ maxBudgetUsd, maxTokens }),
      ...(this.#effort ? { effort: this.#effort } : {}),
      ...(this.#suspended ? { suspended: this.#suspended } : {}),
    };
    const text = JSON.stringify(state);
    if (text === this.#noted) return ok(undefined);
    const written = this.kernel.log.noteState(state);
    if (written.ok) this.#noted = text;
    return written;
  }
}
