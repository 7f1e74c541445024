import type { AgentDefinition } from '../agents/definition.ts';
import { findRoot } from '../workspace/workspace.ts';
import type { SessionReel } from './open-reel.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * What git says of each directory that an agent starts in. Looked at when the first one needs it and not again, so that
 * all that start there have the same bytes. What was seen is on the tape: a replay looks at no repository.
 */
export function gitStatusOf(
  around: Surroundings,
  reel: SessionReel | undefined,
  sayDebug: (text: string) => void,
): (definition: AgentDefinition, cwd: string) => Promise<string | undefined> {
  const seen = new Map<string, Promise<string | undefined>>();
  return async (definition, cwd) => {
    if (definition.omitProjectMemory) return undefined;
    const known = seen.get(cwd) ?? lookOnTape(cwd);
    seen.set(cwd, known);
    return known;
  };

  async function lookOnTape(cwd: string): Promise<string | undefined> {
    // Nothing is said of it on a tape, whose replay could not say it.
    if (reel) return reel.look(`git status in ${cwd}`, () => readGitStatus(around, cwd));
    return readGitStatus(around, cwd, sayDebug);
  }
}

/** Undefined where there is no repository, no git, or no answer in time: an agent can do without. */
export async function readGitStatus(
  { environment, outside, secrets }: Surroundings,
  cwd: string,
  sayDebug: (text: string) => void = () => {},
): Promise<string | undefined> {
  if (findRoot(cwd) === undefined) return undefined;
  const { gitSnapshot } = await import('../workspace/git-snapshot.ts');
  const found = await gitSnapshot({ cwd, env: { ...environment }, clock: outside.clock });
  if (!found.ok) {
    sayDebug(`Agents here begin without a git status: ${found.problem.message}`);
    return undefined;
  }
  const { renderGitStatus } = await import('../knowledge/git-status.ts');
  return secrets.hide(renderGitStatus(found.value));
}
