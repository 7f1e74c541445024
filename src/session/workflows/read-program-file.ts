import { resolve } from 'node:path';
import { ok, type Result, usage } from '../../lib/result.ts';
import { holdsEverything } from '../../settings/trust/describe.ts';
import { pieceFile } from '../../settings/trust.ts';
import { readSmallText } from '../../workspace/find-markdown.ts';
import { isWithin } from '../../workspace/paths.ts';
import { resolveOwnPath, resolveRealPath } from '../../workspace/real-path.ts';
import type { Kernel } from '../kernel.ts';

const maxBytes = 1024 * 1024;

export interface ProgramFile {
  path: string;
  text: string;
}

/** A script or a pattern by its path: read where it really is, and refused if that is in this repository and not trusted. */
export function readProgramFile(kernel: Kernel, given: string): Result<ProgramFile> {
  const path = resolve(kernel.place.cwd, given);
  const read = readSmallText(resolveOwnPath(path), maxBytes);
  return read.ok ? checkTrust(kernel, { path, text: read.value }) : usage(`${given}: ${read.problem}.`);
}

/**
 * What a checkout brings runs only after a review, however it is named: a name that is typed is not a file that was read. A file
 * elsewhere is the user's.
 */
export function checkTrust({ place, trust }: Kernel, file: ProgramFile): Result<ProgramFile> {
  const root = resolveRealPath(place.root);
  const real = resolveOwnPath(file.path);
  // Where the session was started above everything, no file is a repository's.
  if (!isWithin(real, root) || holdsEverything(root, resolveRealPath(place.userHome))) return ok(file);
  const name = pieceFile(root, real);
  if (trust.isTrusted({ kind: 'workflow', file: name, content: file.text })) return ok(file);
  return usage(
    `${file.path} comes from this repository and is not trusted.`,
    isListed(name)
      ? 'Review it with `cadre trust`.'
      : 'Read it, then move it to .cadre/workflows and review it with `cadre trust`, or start this run with --trust.',
  );
}

/** Whether `cadre trust` shows a file: it looks in the folders of workflows only. */
function isListed(name: string): boolean {
  return /(?:^|\/)\.(?:cadre|claude)\/workflows\//.test(name);
}
