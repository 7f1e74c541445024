import { join } from 'node:path';
import { listQuietly, readSmallText, removeQuietly } from '../files/small-files.ts';
import type { Machine } from '../machine.ts';
import type { ProcessMark } from '../processes/mark.ts';

/** Where leases are kept, and what they are taken on. */
export interface LeasePlace {
  directory: string;
  machine: Machine;
}

/** The process that made a claim. */
export interface LeaseOwner extends ProcessMark {
  /** Tells two claims of one process apart. */
  incarnation: string;
  host: string;
  space: string;
}

/**
 * One claim of a lease, as it is on disk: `NAME.EPOCH.json`, linked into place and never changed, so that an epoch is won once.
 * Its deadline moves in a second file, `NAME.EPOCH.until`: renewing a claim can then never bring it back after it was removed.
 */
export interface LeaseClaim {
  name: string;
  epoch: number;
  /** Undefined where the file cannot be read as a claim: it is void. */
  owner: LeaseOwner | undefined;
  /** In time since the boot; 0 was given back. Infinite for claims of versions that had no deadlines. */
  deadline: number;
  /** When it was claimed and when it was last renewed, by the file system. */
  claimedAt: number;
  renewedAt: number;
}

const claimName = /^([\w-]+?)(?:\.(\d{1,15}))?\.json$/;

export function locateClaim({ directory }: LeasePlace, name: string, epoch: number): string {
  return join(directory, epoch === 0 ? `${name}.json` : `${name}.${epoch}.json`);
}

export function locateRenewal({ directory }: LeasePlace, name: string, epoch: number): string {
  return join(directory, `${name}.${epoch}.until`);
}

/** All claims of one lease, the oldest epoch first. */
export function listClaims(place: LeasePlace, name: string): LeaseClaim[] {
  return listEpochs(place)
    .filter((one) => one.name === name)
    .sort((one, other) => one.epoch - other.epoch)
    .flatMap(({ epoch }) => readClaim(place, name, epoch) ?? []);
}

/** Whether another process than this one made the newest claim: what this one does under the lease is refused. */
export function isPassedOver(place: LeasePlace, name: string, { pid, start }: ProcessMark): boolean {
  const owner = listClaims(place, name).at(-1)?.owner;
  return owner !== undefined && (owner.pid !== pid || owner.start !== start);
}

/** The names of all leases that anything is claimed of. */
export function listLeaseNames(place: LeasePlace): string[] {
  return [...new Set(listEpochs(place).map(({ name }) => name))];
}

function listEpochs(place: LeasePlace): { name: string; epoch: number }[] {
  return listQuietly(place.directory, place.machine.disk).flatMap((file) => {
    const [, name, epoch = '0'] = claimName.exec(file) ?? [];
    return name === undefined ? [] : [{ name, epoch: Number(epoch) }];
  });
}

/** Undefined where there is none, or no longer. */
function readClaim(place: LeasePlace, name: string, epoch: number): LeaseClaim | undefined {
  const { disk } = place.machine;
  const path = locateClaim(place, name, epoch);
  const renewal = locateRenewal(place, name, epoch);
  const made = statQuietly(path, place);
  if (!made) return undefined;
  const found = parse(readSmallText(path, maxClaimBytes, disk));
  const renewed = Number.parseFloat(readSmallText(renewal, maxClaimBytes, disk) ?? '');
  const first = typeof found.deadline === 'number' ? found.deadline : Number.POSITIVE_INFINITY;
  return {
    ...{ name, epoch, owner: checkOwner(found), claimedAt: made.mtimeMs },
    deadline: Number.isFinite(renewed) ? renewed : first,
    renewedAt: statQuietly(renewal, place)?.mtimeMs ?? made.mtimeMs,
  };
}

/** Removes a claim with its deadline; the claim last, since without it the deadline means nothing. */
export function removeClaim(place: LeasePlace, name: string, epoch: number): void {
  removeQuietly(locateRenewal(place, name, epoch), place.machine.disk);
  removeQuietly(locateClaim(place, name, epoch), place.machine.disk);
}

function statQuietly(path: string, { machine }: LeasePlace) {
  try {
    return machine.disk.stat(path);
  } catch {
    return undefined;
  }
}

function parse(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Claims of earlier versions name their process only. */
function checkOwner(found: Record<string, unknown>): LeaseOwner | undefined {
  const { pid, start, incarnation = '', host = '', space = '' } = found;
  const texts = [start, incarnation, host, space];
  if (typeof pid !== 'number' || !texts.every((text) => typeof text === 'string')) return undefined;
  return { pid, ...found, incarnation, host, space } as LeaseOwner;
}

const maxClaimBytes = 4096;
