import { ok, type Result } from '../../lib/result.ts';
import type { Engine } from '../../remote/engine.ts';
import { openEngine } from '../../remote/open-engine.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { findEngine, loadOwnSettings } from './engine-address.ts';

/** The engine of a command about a session: opened once, when it is first needed. */
export interface OwnEngine {
  address(): Promise<Result<string>>;
  open(): Promise<Result<Engine>>;
  close(): Promise<void>;
}

export function ownEngine(around: Surroundings, given: string | undefined): OwnEngine {
  let opened: Engine | undefined;
  const address = async () => {
    const settings = await loadOwnSettings(around);
    return settings.ok ? findEngine(given, around, settings.value) : settings;
  };
  return {
    address,
    async open() {
      if (opened) return ok(opened);
      const found = await address();
      const engine = found.ok ? await openEngine(found.value) : found;
      if (engine.ok) opened = engine.value;
      return engine;
    },
    async close() {
      await opened?.close();
    },
  };
}
