import type { Audit } from '../permissions/audit.ts';
import type { Settled } from './settled.ts';

/** Loaded at the first entry: a run in which nothing is asked or refused pays nothing for it. */
export function auditOf(settled: Settled): () => Promise<Audit | undefined> {
  let opened: Promise<Audit> | undefined;
  return async () => {
    if (settled.options.persist === false) return undefined;
    opened ??= openFor(settled);
    return opened;
  };
}

async function openFor({ identity, around }: Settled): Promise<Audit> {
  const { openAudit } = await import('../permissions/audit.ts');
  return openAudit({
    home: around.layout.home,
    sessionId: identity.id,
    cwd: around.cwd,
    clock: around.clock,
    hide: (text) => around.secrets.hide(text),
  });
}
