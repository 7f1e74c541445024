import { delimiter, isAbsolute } from 'node:path';
import { join } from '../lib/files/exact-paths.ts';
import { listNames } from '../lib/files/list-if-there.ts';
import { listKnown } from '../lib/told.ts';
import { credentialFiles, credentialVariables } from './credentials.data.ts';
import { isCredential } from './credentials.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const closedInHome = credentialFiles.flatMap(({ home = [] }) => home);

/** Those that a pattern names by a whole path. */
const namedInHome = credentialFiles
  .flatMap(({ patterns }) => patterns)
  .filter((pattern) => /^\.[^*{]*\/[^*{]*$/.test(pattern))
  .map((pattern) => pattern.replace(/\/$/, ''));

/** All of them as they are named in the home now. */
export function listHomeCredentials(userHome: string, environment: Environment): string[] {
  const names = listKnown(listNames(userHome));
  return [...listClosedCredentials(userHome, names, environment), ...listNamedCredentials(userHome, names)];
}

/** Credentials of a user that are closed to commands, whether or not they exist. `names`: the entries of the home. */
export function listClosedCredentials(
  userHome: string,
  names: readonly string[],
  environment: Environment,
): string[] {
  return [...listInTops(userHome, names, closedInHome), ...listElsewhere(environment)];
}

/**
 * Further ones by their name. Most of them are in directories that are hidden as a whole; where links lead from them, and
 * their other names, need not be.
 */
export function listNamedCredentials(userHome: string, names: readonly string[]): string[] {
  const tops = names.filter(isCredential).map((name) => join(userHome, name));
  return [...listInTops(userHome, names, namedInHome), ...tops];
}

/** The places in a home of which at least the first part is there. */
function listInTops(userHome: string, names: readonly string[], places: readonly string[]): string[] {
  const tops = new Set(names);
  return places.filter((place) => tops.has(getFirstPart(place))).map((place) => join(userHome, place));
}

function getFirstPart(place: string): string {
  const end = place.indexOf('/');
  return end < 0 ? place : place.slice(0, end);
}

function listElsewhere(environment: Environment): string[] {
  const { XDG_CONFIG_HOME: config, XDG_DATA_HOME: data } = environment;
  return [
    ...moved('.config/', config),
    ...moved('.local/share/', data),
    ...Object.entries(credentialVariables).flatMap(([name, inside]) =>
      splitPathList(environment[name]).flatMap((path) => inside?.map((one) => join(path, one)) ?? [path]),
    ),
  ];
}

function moved(from: string, to: string | undefined): string[] {
  if (to === undefined || !isAbsolute(to)) return [];
  return closedInHome
    .filter((name) => name.startsWith(from))
    .map((name) => join(to, name.slice(from.length)));
}

/** `KUBECONFIG` names several. The whole machine, or a home, is never meant. */
function splitPathList(value: string | undefined): string[] {
  if (value === undefined) return [];
  return value.split(delimiter).filter((path) => isAbsolute(path) && path.split('/').length > 2);
}
