import { existsSync } from 'node:fs';
import { ok, type Result, usage } from '../lib/result.ts';
import { createSessionLayout, isSessionId, type SessionLayout } from '../store/layout.ts';
import type { SessionSummary } from '../store/sessions.ts';
import { projectDirectories } from '../store/transcript-files.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** The session's id and where its files are. */
export interface Identity {
  id: string;
  files: SessionLayout;
  /** True when the transcript exists and is appended to. */
  goesOn: boolean;
}

/** Decides which session this is: a new one, or an earlier one that is resumed. */
export function identify(
  options: SessionOptions,
  around: Surroundings,
  earlier: SessionSummary | undefined,
): Result<Identity> {
  const fork = options.fork === true && earlier !== undefined;
  if (options.sessionId !== undefined && !isSessionId(options.sessionId))
    return usage(
      `--session-id ${options.sessionId}: expected a UUID.`,
      'For example, use the output of uuidgen.',
    );
  if (options.sessionId !== undefined && earlier && !fork)
    return usage(
      'A resumed session keeps its id, so --session-id cannot be used.',
      'Leave out --session-id, or add --fork-session.',
    );
  const goesOn = earlier !== undefined && !fork;
  if (options.sessionId !== undefined && isTaken(around, options.sessionId))
    return usage(
      `--session-id ${options.sessionId}: a session with this id already exists.`,
      'Resume it with --resume, or choose another id.',
    );
  const id = goesOn ? earlier.id : (options.sessionId ?? around.ids.uuid());
  const files = goesOn
    ? createSessionLayout(earlier.projectDirectory, id)
    : around.layout.session(around.cwd, id);
  return ok({ id, files, goesOn });
}

function isTaken({ layout }: Surroundings, id: string): boolean {
  return projectDirectories(layout).some((directory) =>
    existsSync(createSessionLayout(directory, id).transcript),
  );
}
