import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSessionId, type Layout } from './layout.ts';

export interface TranscriptFile {
  id: string;
  path: string;
  projectDirectory: string;
  modifiedAt: number;
  size: number;
}

/** The transcripts of one working directory or of all, newest first. Links and other names are skipped. */
export function findTranscripts(layout: Layout, cwd?: string): TranscriptFile[] {
  const directories = cwd === undefined ? projectDirectories(layout) : [layout.projectDirectory(cwd)];
  return directories
    .flatMap(listTranscripts)
    .sort((a, b) => b.modifiedAt - a.modifiedAt || (a.id < b.id ? -1 : 1));
}

export function projectDirectories(layout: Layout): string[] {
  return listEntriesQuietly(layout.projects)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(layout.projects, entry.name));
}

export function listTranscripts(projectDirectory: string): TranscriptFile[] {
  return listEntriesQuietly(projectDirectory).flatMap((entry) => {
    const id = entry.name.slice(0, -'.jsonl'.length);
    if (!entry.isFile() || !entry.name.endsWith('.jsonl') || !isSessionId(id)) return [];
    const path = join(projectDirectory, entry.name);
    const status = lstatSync(path, { throwIfNoEntry: false });
    return status ? [{ id, path, projectDirectory, modifiedAt: status.mtimeMs, size: status.size }] : [];
  });
}

/** The transcripts of a session's agents, by name. */
export function agentTranscripts(subagents: string): string[] {
  return listEntriesQuietly(subagents)
    .filter((entry) => entry.isFile() && /^agent-.+\.jsonl$/.test(entry.name))
    .map((entry) => join(subagents, entry.name))
    .sort();
}

/** The entries of a directory; none when it does not exist or is closed to us. */
export function listEntriesQuietly(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
