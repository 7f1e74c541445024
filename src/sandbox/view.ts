import { delimiter, isAbsolute } from 'node:path';
import { basename, dirname, join } from '../lib/files/exact-paths.ts';
import { listKnown, type Told, untold } from '../lib/told.ts';
import { listClosedCredentials, listNamedCredentials } from '../places/home-credentials.ts';
import type { FollowLinks } from '../places/led-places.ts';
import { linksAmong, listCovers, type MachineView, type SystemView } from './bwrap/system-view.ts';
import { isBelow, isKnownEmpty, type Looks, listNames } from './guard/look.ts';
import { projectEntries, shownInHome } from './home.data.ts';
import { isSecretName, type ToolChainSecrets } from './tool-chain-secrets.ts';

export interface ViewInputs {
  userHome: string;
  /** Our own state directory. */
  home: string;
  /** The user's whole environment: some of it leads to credentials. */
  environment: Readonly<Record<string, string | undefined>>;
  system: SystemView;
  /** The command's `PATH`. */
  programs: string;
  /** Directories that the command works in, real: always visible, wherever they are. */
  workspace: readonly string[];
  /** Directories that it can write, real. */
  roots: readonly string[];
  secrets: ToolChainSecrets;
  /** Knows where links lead. */
  targets?: { readonly links: FollowLinks } | undefined;
}

export interface SandboxView extends MachineView {
  /** Credentials, real, and what links in them lead to. */
  secrets: string[];
  /** The same with those that are hidden with the directory around them: their other names are hidden as well. */
  credentials: string[];
}

/** Number of places of a home that are mounted one by one on an empty one. Beyond that its hidden entries are covered. */
const maxShown = 32;

/** An allow list for the home, the machine's own lists, and credentials wherever the environment says they are. */
export function buildSandboxView(inputs: ViewInputs, looks: Looks): SandboxView {
  const { system, workspace } = inputs;
  const userHome = looks.real(inputs.userHome);
  const listed = listNames(userHome);
  const names = listKnown(listed);
  const home = userHome === '/' ? nothing : buildHomeView(userHome, listed, inputs, looks);
  const programs = programPlaces(inputs);
  const credentials = [
    ...listClosedCredentials(userHome, names, inputs.environment),
    ...linkedCredentials(userHome, names, looks),
    ...programs.hidden,
  ];
  const isThere = (path: string) => looks.at(path) !== undefined;
  const there = credentials.filter(isThere);
  const named = listNamedCredentials(userHome, names);
  const followed = [...there, ...named];
  const led = inputs.targets?.links.from(followed, maxFollowed).map(({ path }) => path) ?? [];
  const secrets = [...new Set([...there.map(looks.real), ...led.filter(isSmall)])];
  return {
    secrets,
    credentials: [...new Set([...secrets, ...named.filter(isThere)])],
    hidden: [
      ...[...system.hidden, ...closedOnes(inputs, looks)].filter((path) => isFilled(path, looks)),
      ...home.hidden,
      ...secrets,
    ]
      // The visible part of the home is decided here. A user who works in a hidden place wants it to be visible.
      .filter((path) => (path !== userHome || home.hidden.includes(path)) && !workspace.includes(path)),
    shown: [...system.shown, ...home.shown, ...programs.shown.filter(isThere).map(looks.real)],
    links: [...system.links, ...home.links, ...linkToHome(inputs, looks)],
  };
}

/** A home may be a link in a hidden directory, such as `/home`. */
function linkToHome({ userHome }: ViewInputs, looks: Looks): MachineView['links'] {
  const path = join(looks.real(dirname(userHome)), basename(userHome));
  return linksAmong([path], looks);
}

/** Files in the workspace belong to the work, and files around a program to the program, even if other users may read them. */
function closedOnes({ system, workspace, roots, programs, userHome }: ViewInputs, looks: Looks): string[] {
  const places = [...workspace, ...roots, userHome];
  const directories = programs.split(delimiter).filter(isAbsolute);
  const mayBeHidden = (path: string) =>
    !places.some((place) => isBelow(path, place)) && !directories.some((one) => isBelow(one, path));
  return [...new Set(system.closed.flatMap((place) => listCovers(place, looks).find(mayBeHidden) ?? []))];
}

/** Covering an empty directory hides nothing and costs as much. It is checked again for each command. */
function isFilled(path: string, looks: Looks): boolean {
  const found = looks.at(path);
  // Each directory in it has a link to it, beside its own two.
  return found?.isDirectory() !== true || found.nlink > 2 || !isKnownEmpty(path);
}

const nothing: MachineView = { hidden: [], shown: [], links: [] };

/** Whether an entry of a home, or something in it, is on the list. */
export function isListedInHome(name: string): boolean {
  return listedTops.has(name);
}

const listed = shownInHome.flatMap(({ places }) => places);
const listedEntries: ReadonlySet<string> = new Set(listed.filter((place) => !place.includes('/')));
const listedDeeper = listed.filter((place) => place.includes('/'));
/** Listing a directory costs as much as looking for some names in it. */
const minCrowd = 10;
const crowdedTops: ReadonlySet<string> = new Set(
  [...Map.groupBy(listedDeeper, getFirstPart)].flatMap(([top, places]) =>
    places.length < minCrowd ? [] : [top],
  ),
);
const exceptions = shownInHome.flatMap(({ except = [] }) => except);
const listedTops: ReadonlySet<string> = new Set(listed.map(getFirstPart));

function buildHomeView(
  userHome: string,
  entries: Told<readonly string[]>,
  { workspace, secrets }: ViewInputs,
  looks: Looks,
): MachineView {
  const names = listKnown(entries);
  const tops = new Set(names);
  const inHome = (places: readonly string[]) =>
    places
      .filter((place) => tops.has(getFirstPart(place)))
      .map((place) => join(userHome, place))
      .filter((path) => looks.at(path) !== undefined);
  const mayBeThere = listOnce(userHome);
  const deeper = listedDeeper.filter((place) => tops.has(getFirstPart(place)) && mayBeThere(place));
  const isKey = (name: string) =>
    isSecretName(name) && looks.at(join(userHome, name))?.isDirectory() === false;
  const isOpen = (name: string) => (name.startsWith('.') ? listedEntries.has(name) : !isKey(name));
  const isWorkspace = workspace.some((directory) => isBelow(userHome, directory));
  const present = inHome([...names.filter(isOpen), ...deeper]);
  const shown = present.filter((path) => !looks.at(path)?.isSymbolicLink());
  const chains = inHome([...listedEntries, ...deeper].filter((place) => place.startsWith('.')));
  const inside = [...inHome(exceptions), ...chains.flatMap((place) => secrets.in(place, looks))].map(
    looks.real,
  );
  // Of a home that cannot be listed nothing could be covered, so it is hidden with what is mounted in it.
  if (entries === untold || (!isWorkspace && shown.length <= maxShown))
    return { hidden: [userHome, ...inside], shown, links: linksAmong(present, looks) };
  // A link cannot be covered, but its target can; never so much that the home itself would disappear.
  const covered = names
    .filter((name) => !isOpen(name) && !(isWorkspace && projectEntries.includes(name)))
    .map((name) => looks.real(join(userHome, name)))
    .filter((path) => !isBelow(userHome, path) && path.split('/').length > 2);
  const below = inHome(deeper).filter((path) => !looks.at(path)?.isSymbolicLink());
  return { hidden: [...covered, ...inside], shown: [userHome, ...below], links: [] };
}

function getFirstPart(place: string): string {
  const end = place.indexOf('/');
  return end < 0 ? place : place.slice(0, end);
}

/**
 * Whether a place that would be shown may exist, by the names in the directory at the top of a home that it is in: many
 * places are in the same few, and most of them do not exist. Not for what is to be hidden, which may be there under a name
 * that is written in another way.
 */
function listOnce(userHome: string): (place: string) => boolean {
  const listed = new Map<string, ReadonlySet<string>>();
  return (place) => {
    const [top = '', name = ''] = place.split('/', 2);
    if (!crowdedTops.has(top)) return true;
    const names = listed.get(top) ?? new Set(listKnown(listNames(join(userHome, top))));
    listed.set(top, names);
    // Also where it cannot be listed.
    return names.size === 0 || names.has(name);
  };
}

/** Entries of the home that are links and have the name of a credential: they are hidden, but where they lead need not be. */
function linkedCredentials(userHome: string, names: readonly string[], looks: Looks): string[] {
  return names
    .filter(isSecretName)
    .map((name) => join(userHome, name))
    .filter((path) => looks.at(path)?.isSymbolicLink());
}

/** Not the machine, nor a home. */
function isSmall(path: string): boolean {
  return path.split('/').length > 3;
}

/** Directories of credentials in which links are followed. */
const maxFollowed = 50;

/** Program directories are visible, wherever the user keeps them: in a home with the tool chain around them. */
function programPlaces({ programs, home, system }: ViewInputs): Pick<MachineView, 'hidden' | 'shown'> {
  const directories = programs
    .split(delimiter)
    .filter((path) => isAbsolute(path) && path !== '/' && !isBelow(path, home))
    .filter((path) => !path.startsWith('/usr/') && !system.shown.includes(path));
  const found = directories.map((path) => {
    const [, user = '', inside = ''] = /^(\/root|(?:\/\w+)?\/home\/[^/]+)\/(.+)$/.exec(path) ?? [];
    const part = shownInHome.find(({ places }) => places.some((place) => isBelow(inside, place)));
    const place = part?.places.find((one) => isBelow(inside, one));
    return place === undefined
      ? { shown: path, hidden: [] }
      : { shown: join(user, place), hidden: (part?.except ?? []).map((one) => join(user, one)) };
  });
  return { shown: found.map(({ shown }) => shown), hidden: found.flatMap(({ hidden }) => hidden) };
}
