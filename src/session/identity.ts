import { existsSync } from 'node:fs';
import { ok, type Result, usage } from '../lib/result.ts';
import { isSessionId, type SessionLayout, createSessionLayout } from '../store/layout.ts';
import type { SessionSummary } from '../store/sessions.ts';
import { projectDirectories } from '../store/transcript-files.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** Which session this is and where its files are. */
export interface Identity {
  id: string;
  files: SessionLayout;
  /** True when the transcript exists and is appended to. */
  goesOn: boolean;
}

/** Which session this is: a new one, or an earlier one that goes on. */
export function identify(
  options: SessionOptions,
  around: Surroundings,
  earlier: SessionSummary | undefined,
): Result<Identity> {
  const fork = options.fork === true && earlier !== undefined;
  if (options.sessionId !== undefined && !isSessionId(options.sessionId))
    return usage(`--session-id ${options.sessionId}: expected a UUID.`, 'For example the output of uuidgen.');
  if (options.sessionId !== undefined && earlier && !fork)
    return usage(
      'A session that is gone on with keeps its id.',
      'Leave out --session-id, or add --fork-session.',
    );
  const goesOn = earlier !== undefined && !fork;
  if (options.sessionId !== undefined && isTaken(around, options.sessionId))
    return usage(
      `--session-id ${options.sessionId}: there is a session with this id.`,
      'Go on with it by --resume, or give another id.',
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
