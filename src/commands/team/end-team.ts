import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import { sleep } from '../../lib/clock.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { leaderName } from '../../protocol/index.ts';
import { openPost } from '../../team/mail/post-mail.ts';
import { unclaimedSender } from '../../team/mail/senders.ts';
import { loadTeam, endTeam as markEnded } from '../../team/team-record.ts';
import { chooseAddress } from '../mail/find-team.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type OpenedTeam, openTeam } from './team.ts';

const betweenLooksMs = 200;
/** A leader gives its members a minute, and ends them then. */
const maxWaitMs = 90_000;

/** `cadre team end`: asks the leader to end its team; without a leader the team is ended from here. */
export async function endTeam(
  name: string | undefined,
  { force = false }: FlagsOf<'team end'>,
): Promise<number> {
  const io = processIo();
  const opened = openTeam(name);
  if (!opened.ok) return complain(io, opened.problem);
  const by = chooseAddress(opened.value.around, {});
  if (by.ok && by.value !== 'user')
    return complain(io, { kind: 'usage', message: 'Only the user ends a team, not a command of an agent.' });
  const { members, place } = opened.value;
  const ended = members.isAlive(leaderName)
    ? await askLeader(opened.value, force)
    : endWithoutLeader(opened.value);
  if (!ended.ok) return complain(io, ended.problem);
  return (await io.writeOut(`The team ${place.name} has ended.\n`)) ? 0 : 1;
}

async function askLeader({ place, members, around }: OpenedTeam, force: boolean): Promise<Result<void>> {
  const { machine, clock } = around;
  const post = openPost(place, { machine, clock });
  if (!post.ok) return post;
  const toIncarnation = members.findIncarnation(leaderName) ?? '';
  const draft = {
    to: leaderName,
    toIncarnation,
    kind: 'shutdown_request' as const,
    text: 'the user ends the team',
  };
  const sent = post.value.sendNow({ ...draft, body: { force } }, unclaimedSender('user', clock));
  if (!sent.ok) return sent;
  for (let waited = 0; waited < maxWaitMs; waited += betweenLooksMs) {
    const team = loadTeam(place, machine);
    if (team.ok && team.value?.endedAt !== undefined) return ok(undefined);
    await sleep(clock, betweenLooksMs);
  }
  return failure(
    `The team ${place.name} has not ended: a member objects, or its leader does not answer.`,
    `See why with cadre team show ${place.name}, or use --force.`,
  );
}

function endWithoutLeader({ place, members, around }: OpenedTeam): Result<void> {
  const running = members.list().filter(({ name }) => members.isAlive(name));
  if (running.length > 0)
    return usage(
      `The leader of ${place.name} is not running, but ${running.map(({ name }) => name).join(', ')} still runs.`,
      'Close those sessions, or resume the session of the leader and end the team there.',
    );
  const ended = markEnded(place, around.machine, around.clock);
  return ended.ok ? ok(undefined) : ended;
}
