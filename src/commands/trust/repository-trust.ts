import { resolve } from 'node:path';
import { ownerVariable } from '../../lib/processes/process.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { SessionOptions } from '../../session/options.ts';
import { checkHome, lookAround, type Surroundings } from '../../session/surroundings.ts';
import type { PieceCollector } from '../../settings/trust/collect.ts';
import { noteDeclined, wasDeclined } from '../../settings/trust/declined.ts';
import * as trust from '../../settings/trust/describe.ts';
import type { TrustedRepositories } from '../../settings/trust/file.ts';
import { collectFilters } from '../../settings/trust/filter-pieces.ts';

export type { DescribedPiece, TrustDescription } from '../../settings/trust/describe.ts';

/** The user and directory whose trust is meant: as for a session. */
export type TrustWhere = Pick<SessionOptions, 'cwd' | 'environment' | 'clock'>;

/** Kinds of piece that later rooms add to those of the settings. */
function listCollectors({ environment }: Surroundings): PieceCollector[] {
  return [collectFilters({ ...environment })];
}

/**
 * Everything the repository around a directory would activate once trusted, and which of it is trusted. A surface
 * shows all of this before it calls `grantTrust` with the same value.
 */
export async function describeTrust(where: TrustWhere = {}): Promise<Result<trust.TrustDescription>> {
  const around = lookAround(where);
  const home = checkHome(around);
  return home.ok ? trust.describeTrust(around, listCollectors(around)) : home;
}

/** Trusts exactly the bytes described. Only for a user who has seen them: an agent may not. */
export async function grantTrust(
  description: trust.TrustDescription,
  where: TrustWhere = {},
): Promise<Result<number>> {
  const around = lookAround(where);
  const person = checkPerson(around);
  return person.ok ? trust.grantTrust(description, around, around.clock) : person;
}

/** The user has refused what was described: it is not asked about again until it changes. */
export async function declineTrust(
  description: trust.TrustDescription,
  where: TrustWhere = {},
): Promise<Result<void>> {
  const { home, clock } = lookAround(where);
  return noteDeclined(description, home, clock);
}

export function isDeclined(description: trust.TrustDescription, where: TrustWhere = {}): boolean {
  return wasDeclined(description, lookAround(where).home);
}

/** Forgets all trust in the repository around a directory. Returns how many pieces were trusted. */
export async function revokeTrust(where: TrustWhere = {}): Promise<Result<number>> {
  const around = lookAround(where);
  const inIt = await trust.revokeTrust(around.root, around, around.clock);
  // A deleted directory is in no repository, but trust may be bound to its name.
  const named = resolve(where.cwd ?? around.cwd);
  return inIt.ok && inIt.value === 0 && named !== around.root
    ? trust.revokeTrust(named, around, around.clock)
    : inIt;
}

export function listTrusted(where: TrustWhere = {}): Result<TrustedRepositories> {
  return trust.listTrusted(lookAround(where));
}

/** A command run by an agent carries our mark. An agent steered by a repository cannot vouch for it. */
function checkPerson({ environment }: Surroundings): Result<void> {
  if (isPerson(environment)) return ok(undefined);
  return usage('An agent cannot trust a repository.', 'Run cadre trust yourself, in your own terminal.');
}

export function isPerson(environment: Surroundings['environment']): boolean {
  return environment[ownerVariable] === undefined;
}
