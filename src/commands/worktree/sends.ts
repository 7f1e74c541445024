import { findWorktrees } from '../../landing/candidates.ts';
import { findHindrance, isOwnersBusiness } from '../../landing/return-work.ts';
import type { Ground, LandReport } from '../../landing/types.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { formatIdentity } from '../../workspace/worktrees/identity.ts';
import type { Done } from './looks.ts';
import { type Returned, returnWork } from './return-work.ts';

/** `cadre worktree return NAME [comment]`. */
export async function returnOne(
  ground: Ground,
  [name = '', ...words]: readonly string[],
  { onto }: { onto?: string },
  signal: AbortSignal | undefined,
): Promise<Result<Done>> {
  const found = findWorktrees(ground, [name]);
  if (!found.ok) return found;
  const [record] = found.value;
  if (!record) return usage(`There is no worktree ${name}.`);
  const comment = words.join(' ');
  const hindrance = await findHindrance(ground, record, { onto, withGate: comment.trim() === '', signal });
  // A comment goes back even where nothing can be said about landing, such as on a detached HEAD.
  if (!hindrance.ok && comment.trim() === '') return hindrance;
  const work = { record, comment, hindrance: hindrance.ok ? hindrance.value : undefined };
  const returned = await returnWork(work, ground.world);
  if (!returned.ok) return returned;
  return ok({ text: `${returned.value.message}\n`, data: returned.value, code: 0 });
}

interface ReturnedAfterLanding {
  /** Work that goes back to its agents. */
  returned: Returned[];
  /** For the user. */
  messages: string[];
}

/** What a landing left out goes back to its agents, where the user wants that. */
export async function returnLanded(
  ground: Ground,
  { landings, target }: LandReport,
  {
    isAsked,
    isWanted,
    agree,
  }: { isAsked: boolean; isWanted: boolean; agree(names: readonly string[]): Promise<boolean> },
): Promise<ReturnedAfterLanding> {
  const left = landings.filter((one) => isOwnersBusiness(one) && one.owner.agentId !== null);
  if (left.length === 0) return { returned: [], messages: [] };
  const names = left.map(({ name, session }) => formatIdentity({ slug: name, session }));
  const isMeant = isWanted || (isAsked && (await agree(names)));
  if (!isMeant)
    return {
      returned: [],
      messages: names.map((name) => `cadre worktree return ${name} sends it back to its agent.`),
    };
  const done: ReturnedAfterLanding = { returned: [], messages: [] };
  for (const [index, landing] of left.entries()) {
    const found = findWorktrees(ground, [names[index] ?? '']);
    const [record] = found.ok ? found.value : [];
    const sent: Result<Returned> = record
      ? await returnWork({ record, hindrance: { landing, target } }, ground.world)
      : usage(`${landing.name} no longer exists.`);
    if (sent.ok) done.returned.push(sent.value);
    done.messages.push(
      sent.ok ? sent.value.message : `${landing.name} was not returned: ${sent.problem.message}`,
    );
  }
  return done;
}

export function describeOpened(
  opened: { url: string | null; branch: string; base: string } | undefined,
): string {
  if (!opened) return 'Nothing was pushed.\n';
  const { url, branch, base } = opened;
  return url === null
    ? `The branch ${branch} was pushed again; its pull request for ${base} was open already.\n`
    : `The branch ${branch} was pushed, and a pull request for ${base} is open: ${url}\n`;
}
