import { quote } from '../lib/shell-quote.ts';
import { rememberPaths } from '../places/paths.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import type { FileChange } from '../shell/walk/file-changes.ts';
import { type JudgedCommand, readScript } from '../shell/walk/script.ts';
import { isWithin } from '../workspace/paths.ts';

/** The files that a judged call uses and changes, as its text says. Looked up again each time: other calls change them. */
export interface Footprint {
  readonly workspace: CallWorkspace;
  readonly commands: readonly JudgedCommand[];
  /** Changes of the call that are in none of its commands. */
  readonly changes: readonly FileChange[];
}

/**
 * Undefined for a call that relies on no judgement of its text: a sandbox confines it, or the user allowed it as a whole.
 * Tools that only read open what was judged, and nothing else.
 */
export function readFootprint(
  accesses: readonly Access[],
  { confine, asWhole }: Decision,
  workspace: CallWorkspace,
): Footprint | undefined {
  if (confine || asWhole) return undefined;
  const seen = rememberPaths(workspace);
  const parts = accesses.flatMap((access) => {
    if (access.kind === 'shell') return [readPart(access, seen)];
    return access.kind === 'write' ? [readWrite(access.path, seen)] : [];
  });
  if (parts.length === 0) return undefined;
  return {
    workspace: seen,
    commands: parts.flatMap(({ commands }) => commands),
    changes: parts.flatMap(({ changes }) => changes),
  };
}

type Part = Omit<Footprint, 'workspace'>;

function readPart(access: Extract<Access, { kind: 'shell' }>, workspace: CallWorkspace): Part {
  const { parsed, all } = readScript(access, workspace);
  return { commands: all, changes: parsed.problems.length > 0 ? [anything] : [] };
}

/** A tool's write is that of a redirection to the file. A tool that writes a directory brings whatever it holds. */
function readWrite(path: string, workspace: CallWorkspace): Part {
  if (isWithin(workspace.cwd, path)) return { commands: [], changes: [anything] };
  return readPart({ kind: 'shell', command: `: > ${quote(workspace.realPath(path))}`, cwd: '/' }, workspace);
}

/** Links may appear anywhere. */
export const anything: FileChange = { makesNames: true, changesWays: true, makesLinks: true };
