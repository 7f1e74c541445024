import { isAbsolute, join } from 'node:path';
import { hashBytes } from '../lib/hash.ts';

/** Paths of everything Cadre stores. Names only: nothing is created or read here. */
export interface Layout {
  readonly home: string;
  readonly settings: string;
  readonly keys: string;
  /** Executables that come with the program. */
  readonly bin: string;
  readonly plans: string;
  readonly projects: string;
  projectDirectory(cwd: string): string;
  transcript(cwd: string, sessionId: string): string;
  session(cwd: string, sessionId: string): SessionLayout;
}

/** The files beside a session's transcript. */
export interface SessionLayout {
  readonly transcript: string;
  readonly directory: string;
  readonly toolResults: string;
  readonly fileHistory: string;
  /** Objects of git that a command could delete. */
  readonly gitObjects: string;
  /** The known state of the workspace's files while a session is open. */
  readonly snapshot: string;
  readonly subagents: string;
  /** Work that the user returned to its agents while the session was closed. */
  readonly returned: string;
  /** Where its agents exchange files. */
  readonly scratchpad: string;
  agentTranscript(agentId: string): string;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Session ids are UUIDs: safe as a file name, and other files are not mistaken for a session. */
export function isSessionId(text: string): boolean {
  return uuid.test(text);
}

export function createLayout(home: string): Layout {
  if (!isAbsolute(home)) throw new Error(`home is not an absolute path: ${home}`);
  const projects = join(home, 'projects');
  const projectDirectory = (cwd: string) => join(projects, projectName(cwd));
  const session = (cwd: string, sessionId: string) => createSessionLayout(projectDirectory(cwd), sessionId);
  return {
    home,
    settings: join(home, 'settings.json'),
    keys: join(home, 'keys.json'),
    bin: join(home, 'bin'),
    plans: join(home, 'plans'),
    projects,
    projectDirectory,
    transcript: (cwd, sessionId) => session(cwd, sessionId).transcript,
    session,
  };
}

export function createSessionLayout(projectDirectory: string, sessionId: string): SessionLayout {
  if (!isSessionId(sessionId)) throw new Error(`not a session id: ${sessionId}`);
  const directory = join(projectDirectory, sessionId);
  const subagents = join(directory, 'subagents');
  return {
    transcript: `${directory}.jsonl`,
    directory,
    toolResults: join(directory, 'tool-results'),
    fileHistory: join(directory, 'file-history'),
    gitObjects: join(directory, 'git-objects'),
    snapshot: join(directory, 'snapshot.jsonl'),
    subagents,
    returned: join(directory, 'returned'),
    scratchpad: join(directory, 'scratchpad'),
    agentTranscript(agentId) {
      if (!/^[A-Za-z0-9_-]{1,100}$/.test(agentId)) throw new Error(`not an agent id: ${agentId}`);
      return join(subagents, `agent-${agentId}.jsonl`);
    },
  };
}

/** Readable rather than unique: directories may share a name, so a transcript's header names its directory. */
function projectName(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  return name.length <= 200 ? name : `${name.slice(0, 200)}-${hashBytes(cwd).slice(0, 8)}`;
}

/** The log of a session's or a workflow run's anchors, apart from the run. */
export function locateAnchors(home: string, runId: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(runId)) throw new Error(`not the id of a run: ${runId}`);
  return join(home, 'anchors', `${runId}.anchors`);
}
