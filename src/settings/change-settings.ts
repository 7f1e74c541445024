import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { writeAtomic } from '../lib/files/atomic.ts';
import { describeFileError } from '../lib/files/files.ts';
import { fail, ok, type Result, usage } from '../lib/result.ts';
import { hideFromStatus } from '../workspace/git/hide-from-status.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findRunningCommands, type RunningCommands } from '../workspace/running-commands.ts';
import { rewriteJson } from './json-edit.ts';
import { parsePlace } from './load.ts';
import { readPlainFile } from './read-file.ts';
import { changeTrust } from './trust/change-file.ts';
import type { TrustPlace } from './trust/collect.ts';
import { addPieces, trustedPiece } from './trust/describe.ts';
import type { TrustedRepositories } from './trust/file.ts';
import { hashPiece } from './trust/piece.ts';
import { settingsPiece } from './trust/settings-piece.ts';
import { pieceFile } from './trust.ts';

/** The layers in which an answer may be saved. */
export type SavedLayer = 'local' | 'project' | 'user';

export interface Saved {
  file: string;
  /** False if the file also holds untrusted content: then the saved rule is held like the rest. */
  inForce: boolean;
}

/** `mainRoot`: for a work tree, the root of the main checkout, where local settings are kept for all of them. */
export type SettingsHome = TrustPlace & { mainRoot?: string };

type Content = Record<string, unknown>;

const maxFileSize = 1024 * 1024;

/**
 * Changes our own settings file of a layer for the user. Content written on the user's behalf is trusted: a trusted file of
 * the repository stays trusted, and a new one starts so. A file with other untrusted privileges does
 * not become trusted this way.
 */
export async function changeSettings(
  home: SettingsHome,
  layer: SavedLayer,
  clock: Clock,
  change: (content: Content, file: string) => Result<Content>,
): Promise<Result<Saved>> {
  const place = locateLayer(home, layer);
  const file = locateFile(place, layer);
  const running = await findRunningCommands();
  return changeTrust(place.home, clock, (repositories) => {
    const read = readContent(file, layer, place);
    if (!read.ok) return read;
    const { text, content } = read.value;
    const changed = change(content, file);
    if (!changed.ok) return changed;
    const after = changed.value;
    const written = after === content ? ok(undefined) : write(file, rewriteJson(text, content, after));
    if (!written.ok) return written;
    if (layer === 'user') return ok({ file, inForce: true });
    if (layer === 'local') keepPrivate(place.root, running);
    return ok({ file, inForce: renewTrust(repositories, file, place, content, after, clock) });
  });
}

/** The layer that a file belongs to, if it is one that Cadre writes. */
export function findSavedLayer(home: SettingsHome, file: string): SavedLayer | undefined {
  const layers: readonly SavedLayer[] = ['user', 'local', 'project'];
  return layers.find((layer) => locateFile(locateLayer(home, layer), layer) === file);
}

function locateLayer({ mainRoot, ...place }: SettingsHome, layer: SavedLayer): TrustPlace {
  return layer === 'local' && mainRoot !== undefined ? { ...place, root: mainRoot } : place;
}

/** `.cadre` only: Cadre does not write files of other programs. */
function locateFile(place: TrustPlace, layer: SavedLayer): string {
  if (layer === 'user') return join(place.home, 'settings.json');
  return layer === 'local'
    ? join(place.root, '.cadre', 'settings.local.json')
    : join(place.cwd, '.cadre', 'settings.json');
}

function readContent(
  file: string,
  layer: SavedLayer,
  { root }: TrustPlace,
): Result<{ text: string; content: Content }> {
  const real = resolveRealPath(file);
  if (layer !== 'user' && !isWithin(real, resolveRealPath(root)))
    return usage(
      `${file} points outside the repository, to ${real}; nothing is saved there.`,
      'Replace the link with a regular file.',
    );
  const read = readPlainFile({
    path: file,
    holds: 'settings',
    largest: maxFileSize,
    root: layer === 'user' ? undefined : root,
  });
  if (!read.ok) return read;
  const text = read.value?.text ?? '';
  const json = parsePlace({ file }, text);
  if (!json.ok) return json;
  const content = json.value;
  return isRecord(content) ? ok({ text, content }) : usage(`${file}: settings: expected an object`);
}

/** A link stays a link; a file keeps its mode; a new one is private. */
function write(file: string, text: string): Result<void> {
  try {
    const real = resolveRealPath(file);
    mkdirSync(dirname(real), { recursive: true });
    const mode = statSync(real, { throwIfNoEntry: false })?.mode ?? 0o600;
    return writeAtomic(real, text, mode & 0o777);
  } catch (error) {
    return fail(describeFileError(error, file, 'write'));
  }
}

/** Local settings are personal. If git's exclude list cannot be written, the rule is still saved. */
function keepPrivate(root: string, running: RunningCommands | undefined): void {
  const directory = join(root, '.git');
  // A `.git` file may name any directory.
  if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory())
    hideFromStatus(directory, '/.cadre/settings.local.json', running);
}

function renewTrust(
  repositories: TrustedRepositories,
  file: string,
  { root }: TrustPlace,
  before: Content,
  after: Content,
  clock: Clock,
): boolean {
  const name = pieceFile(root, file);
  const old = settingsPiece(name, before);
  const realRoot = resolveRealPath(root);
  const known = repositories.get(realRoot)?.find((piece) => piece.kind === 'settings' && piece.file === name);
  const wasOurs = old === undefined || (known !== undefined && known.hash === hashPiece(old));
  const piece = settingsPiece(name, after);
  if (wasOurs && piece) addPieces(repositories, realRoot, trustedPiece(piece, clock));
  return wasOurs;
}
