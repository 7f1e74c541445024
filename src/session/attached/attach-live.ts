import { ok, type Result } from '../../lib/result.ts';
import type { Surroundings } from '../surroundings.ts';
import { type AttachedParts, AttachedSession } from './attached-session.ts';
import { connectOwner } from './connect-owner.ts';

/** A person waits for it. */
const patienceMs = 15_000;

/** Connects to a session through its door. */
export async function attachLive(
  { home, clock }: Pick<Surroundings, 'home' | 'clock'>,
  sessionId: string,
  terminal: AttachedParts['terminal'],
): Promise<Result<AttachedSession>> {
  const wish = { client: 'cadre attach', events: 'all' as const, patienceMs, clock };
  const client = await connectOwner(home, sessionId, wish);
  if (!client.ok) return client;
  const { transcript } = client.value.welcome;
  return ok(new AttachedSession({ client: client.value, clock, home, transcript, terminal }));
}
