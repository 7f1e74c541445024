import { openKeyStore } from '../models/keys.ts';
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

async function openFor({ identity, around, settings }: Settled): Promise<Audit> {
  const [{ openAudit }, { openMask }, { secretsIn }] = await Promise.all([
    import('../permissions/audit.ts'),
    import('../replay/mask.ts'),
    import('../replay/secrets.ts'),
  ]);
  const stored = openKeyStore(around.home).readKeys();
  const secrets = [
    ...secretsIn({ ...around.environment, ...settings.env }),
    ...(stored.ok ? Object.values(stored.value) : []),
  ];
  const { hide } = openMask(secrets, {}, '');
  return openAudit({
    home: around.layout.home,
    sessionId: identity.id,
    cwd: around.cwd,
    clock: around.clock,
    hide,
  });
}
