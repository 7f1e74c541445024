import { accessSync, constants, readlinkSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { credentialFiles } from '../credentials.data.ts';
import { credentialVariables, projectEntries, shownInHome } from './home.data.ts';
import { entriesIn, isBelow, type Looks, namesIn } from './look.ts';
import { hiddenFromRoot, hiddenParts } from './system.data.ts';

/** What of the machine a command finds, beyond the workspace. All paths are real ones. */
export interface View {
  hidden: string[];
  /** Parts of those that are there all the same. */
  shown: string[];
  links: { path: string; target: string }[];
}

export interface ViewInputs {
  userHome: string;
  /** Our own state directory. */
  home: string;
  /** The user's whole environment: some of it leads to credentials. */
  environment: Readonly<Record<string, string | undefined>>;
  isRoot: boolean;
  /** The command's `PATH`. */
  programs: string;
  /** Directories that the command works in: always there, wherever they are. */
  workspace: readonly string[];
}

/** So many places of a home are mounted one by one on an empty one. Beyond that its hidden entries are covered. */
const mostShown = 24;

/** An allow list for the home, the machine's own lists, and credentials wherever the environment says they are. */
export function viewOf(inputs: ViewInputs, looks: Looks): View {
  const userHome = looks.real(inputs.userHome);
  const isWorkspace = inputs.workspace.some((directory) => isBelow(userHome, directory));
  const home = userHome === '/' || !looks.at(userHome) ? nothing : viewOfHome(userHome, isWorkspace, looks);
  const system = viewOfSystem(inputs, looks);
  const programs = programPlaces(inputs);
  const hidden = [...credentialPlaces(inputs), ...programs.hidden].map(looks.real);
  return {
    // Whoever works in such a place wants it to be there.
    hidden: [...system.hidden, ...home.hidden, ...hidden].filter((path) => !inputs.workspace.includes(path)),
    shown: [...system.shown, ...home.shown, ...programs.shown].map(looks.real),
    links: [...system.links, ...home.links],
  };
}

/** Whether an entry of a home, or something in it, is on the list. */
export function isListedInHome(name: string): boolean {
  return shownInHome.some(({ places }) => places.some((place) => place.split('/')[0] === name));
}

const nothing: View = { hidden: [], shown: [], links: [] };

function viewOfHome(userHome: string, isWorkspace: boolean, looks: Looks): View {
  const listed = shownInHome.flatMap(({ places }) => places);
  const hiddenInside = shownInHome.flatMap(({ except = [] }) => except).map((place) => join(userHome, place));
  const entries = entriesIn(userHome) ?? [];
  const isOpen = (name: string) => !name.startsWith('.') || listed.includes(name);
  const present = [
    ...entries.filter(({ name }) => isOpen(name)).map(({ name }) => join(userHome, name)),
    ...listed.filter((place) => place.includes('/')).map((place) => join(userHome, place)),
  ].filter((path) => looks.at(path) !== undefined);
  const shown = present.filter((path) => !looks.at(path)?.isSymbolicLink());
  if (!isWorkspace && shown.length <= mostShown)
    return { hidden: [userHome, ...hiddenInside], shown, links: linksAmong(present, looks) };
  const covered = entries
    .map(({ name }) => name)
    .filter((name) => !isOpen(name) && !(isWorkspace && projectEntries.includes(name)));
  // A link cannot be covered, but where it leads can; never so much that the home itself would be gone.
  const hidden = covered
    .map((name) => looks.real(join(userHome, name)))
    .filter((path) => !isBelow(userHome, path) && path.split('/').length > 2);
  return { hidden: [...hidden, ...hiddenInside], shown: [userHome], links: [] };
}

/** Links of a directory that is hidden are made again, to lead where they did. */
function linksAmong(paths: readonly string[], looks: Looks): View['links'] {
  return paths.flatMap((path) =>
    looks.at(path)?.isSymbolicLink() ? [{ path, target: readlinkSync(path) }] : [],
  );
}

function viewOfSystem({ isRoot, userHome, home }: ViewInputs, looks: Looks): View {
  const parts = [...hiddenParts, ...(isRoot ? hiddenFromRoot : [])];
  const hidden = parts
    .flatMap((part) => part.hidden)
    .map(looks.real)
    .filter((path) => isOf(path, looks, isRoot))
    // What can be seen of our own home is said elsewhere.
    .filter((path) => path !== looks.real(userHome) && path !== looks.real(home));
  const links = hidden.flatMap((path) =>
    linksAmong(
      namesIn(path).map((name) => join(path, name)),
      looks,
    ),
  );
  return { hidden, shown: parts.flatMap(({ shown = [] }) => shown), links: links.filter(isOfSystem) };
}

/** `/var/run` and the like; other links lead to what is hidden with them. */
function isOfSystem({ path, target }: View['links'][number]): boolean {
  return dirname(path) === '/var' && /^(?:\.\.)?\/?run(?:\/|$)/.test(target);
}

/** An empty directory hides nothing, and what this user cannot read needs no cover. */
function isOf(path: string, looks: Looks, isRoot: boolean): boolean {
  const found = looks.at(path);
  if (!found) return false;
  if (found.isFile()) return isRoot || isReadable(path);
  return found.isDirectory() && namesIn(path).length > 0;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function credentialPlaces({ userHome, environment }: ViewInputs): string[] {
  const inHome = credentialFiles.flatMap(({ home = [] }) => home);
  const config = environment.XDG_CONFIG_HOME;
  const data = environment.XDG_DATA_HOME;
  return [
    ...inHome.map((name) => join(userHome, name)),
    ...inHome.flatMap((name) => moved(name, '.config/', config) ?? moved(name, '.local/share/', data) ?? []),
    ...Object.entries(credentialVariables).flatMap(([name, inside]) =>
      pathsIn(environment[name]).flatMap((path) => inside?.map((one) => join(path, one)) ?? [path]),
    ),
  ];
}

function moved(name: string, from: string, to: string | undefined): string | undefined {
  return to !== undefined && isAbsolute(to) && name.startsWith(from)
    ? join(to, name.slice(from.length))
    : undefined;
}

/** `KUBECONFIG` names several. The whole machine, or a home, is never meant. */
function pathsIn(value: string | undefined): string[] {
  return (value ?? '').split(delimiter).filter((path) => isAbsolute(path) && path.split('/').length > 2);
}

/** Directories of programs are there, wherever the user keeps them: in another home with the tool chain around them. */
function programPlaces({ programs, home }: ViewInputs): Pick<View, 'hidden' | 'shown'> {
  const directories = programs
    .split(delimiter)
    .filter((path) => isAbsolute(path) && path !== '/' && !isBelow(path, home));
  const found = directories.map((path) => {
    const [, user = '', inside = ''] = /^(\/root|(?:\/\w+)?\/home\/[^/]+)\/(.+)$/.exec(path) ?? [];
    const listed = shownInHome.find(({ places }) => places.some((place) => isBelow(inside, place)));
    const place = listed?.places.find((one) => isBelow(inside, one));
    return place === undefined
      ? { shown: path, hidden: [] }
      : { shown: join(user, place), hidden: (listed?.except ?? []).map((one) => join(user, one)) };
  });
  return { shown: found.map(({ shown }) => shown), hidden: found.flatMap(({ hidden }) => hidden) };
}
