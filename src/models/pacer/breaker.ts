import type { Model, ModelFailure } from '../../protocol/index.ts';

type Named = Pick<Model, 'id' | 'limitGroup'>;

/**
 * Remembers errors that no further request can get past: a key that is refused, a used-up credit, a model that does not
 * exist. Until a request succeeds or the user acts, nothing is sent. Not stored: the start of a process is an act of the user.
 */
export class Breaker {
  readonly #failures = new Map<string, ModelFailure>();

  find(model: Named): ModelFailure | undefined {
    if (this.#failures.size === 0) return undefined;
    return this.#failures.get(nameModel(model)) ?? this.#failures.get(nameKey(model));
  }

  open(model: Named, failure: ModelFailure): void {
    this.#failures.set(concernsKey(failure) ? nameKey(model) : nameModel(model), failure);
  }

  /** A request to this model was accepted: its key works, too. */
  noteSuccess(model: Named): void {
    if (this.#failures.size === 0) return;
    this.#failures.delete(nameModel(model));
    this.#failures.delete(nameKey(model));
  }

  closeAll(): void {
    this.#failures.clear();
  }
}

/** 403 may be about one model alone. */
function concernsKey({ kind, status }: ModelFailure): boolean {
  return kind === 'billing' || (kind === 'authentication' && status !== 403);
}

function nameModel({ id, limitGroup }: Named): string {
  return `model ${id}@${limitGroup}`;
}

function nameKey(model: Named): string {
  return model.limitGroup === undefined ? nameModel(model) : `key ${model.limitGroup}`;
}

/** The failure of a request that was not sent, since an earlier one failed for good. */
export function describeUnsent(failure: ModelFailure): ModelFailure {
  const { kind, status, message } = failure;
  return { kind, status, message: `Not sent: ${message}`, unsent: true };
}
