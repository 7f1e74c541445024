import { isAbsolute, resolve } from 'node:path';
import { visibleLine } from '../lib/text/text.ts';
import { findSession } from '../store/sessions.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import type { SessionOptions } from './options.ts';
import { isDirectory, type Surroundings } from './surroundings.ts';

/** Where a session that is resumed by its id runs, with what the user is told of it. */
export interface OwnDirectory {
  options: SessionOptions;
  notices: string[];
}

/**
 * A session continues in the directory that it was started in, with that directory's settings, rules and trust, wherever the command
 * is given: its agents, and the files that it speaks of, are there. A copy of it (`fork`) begins here.
 */
export async function findOwnDirectory(options: SessionOptions, around: Surroundings): Promise<OwnDirectory> {
  const { resume, fork } = options;
  const stays = { options, notices: [] };
  if (resume?.from !== 'id' || fork || !(resume.inOwnDirectory || options.cwd === undefined)) return stays;
  const found = await findSession(around.layout, resume.id);
  const own = found.ok ? found.value.cwd : undefined;
  return moveTo(own, 'session', options, around, ' For a copy in HERE, add --fork-session.');
}

/** What is continued was started in `own`, if that is known; `options` are for where the user is. `advice` may name that as HERE. */
export function moveTo(
  own: string | undefined,
  what: 'session' | 'run',
  options: SessionOptions,
  around: Pick<Surroundings, 'cwd'>,
  advice = '',
): OwnDirectory {
  if (own === undefined || resolveRealPath(own) === resolveRealPath(around.cwd))
    return { options, notices: [] };
  const [there, here] = [visibleLine(own, 300), visibleLine(around.cwd, 300)];
  if (!isDirectory(own))
    return {
      options,
      notices: [`The directory of the ${what}, ${there}, no longer exists. It continues in ${here}.`],
    };
  return {
    options: { ...anchorPaths(options, around.cwd), cwd: own },
    notices: [`The ${what} continues in its own directory, ${there}.${advice.replace('HERE', () => here)}`],
  };
}

/** Paths that were given are meant from the directory in which the user typed them. */
function anchorPaths(options: SessionOptions, cwd: string): SessionOptions {
  const { pluginDirectories, additionalDirectories, settings, mcpConfig } = options;
  const anchor = (path: string) => resolve(cwd, path);
  const anchorFile = (text: string) =>
    text.trim() === '' || text.trimStart().startsWith('{') || isAbsolute(text) ? text : resolve(cwd, text);
  return {
    ...options,
    ...(pluginDirectories ? { pluginDirectories: pluginDirectories.map(anchor) } : {}),
    ...(additionalDirectories ? { additionalDirectories: additionalDirectories.map(anchor) } : {}),
    ...(typeof settings === 'string' ? { settings: anchorFile(settings) } : {}),
    ...(mcpConfig ? { mcpConfig: mcpConfig.map(anchorFile) } : {}),
  };
}
