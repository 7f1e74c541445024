import { sleep } from '../../lib/clock.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { leaderName, type MemberRecord } from '../../protocol/index.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import type { Reconciled } from '../../team/executors/executor.ts';
import { reconcileTeammates } from '../../team/executors/open-executor.ts';
import { listWantedPanes } from '../../team/executors/wanted-panes.ts';
import { MailList } from '../../team/mail/list-mail.ts';
import { openPost } from '../../team/mail/post-mail.ts';
import { unclaimedSender } from '../../team/mail/senders.ts';
import { loadTeam, endTeam as markEnded } from '../../team/team-record.ts';
import { findProgram, programPath } from '../../workspace/search-path.ts';
import { chooseAddress } from '../mail/find-team.ts';
import { readSettings } from '../read-settings.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type OpenedTeam, openTeam } from './team.ts';

const betweenLooksMs = 200;
/** A leader gives its members a minute unless settings say otherwise, ends them then, and answers in any case. */
const maxWaitMs = 90_000;

/** `cadre team end`: asks the leader to end its team; without a leader the team is ended from here. */
export async function endTeam(
  name: string | undefined,
  { force = false }: FlagsOf<'team end'>,
): Promise<Result<string>> {
  const opened = openTeam(name);
  if (!opened.ok) return opened;
  const by = chooseAddress(opened.value.around, {});
  if (by.ok && by.value !== 'user') return usage('Only the user ends a team, not a command of an agent.');
  const { members, place } = opened.value;
  const ended = members.isAlive(leaderName)
    ? await askLeader(opened.value, force)
    : await endWithoutLeader(opened.value, force);
  return ended.ok ? ok(`The team ${place.name} has ended.\n`) : ended;
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
  const mail = new MailList(place, machine);
  for (let waited = 0; waited < maxWaitMs; waited += betweenLooksMs) {
    const team = loadTeam(place, machine);
    if (team.ok && team.value?.endedAt !== undefined) return ok(undefined);
    const answers = mail.list('user');
    const answer = answers.ok && answers.value.find(({ message }) => message.inReplyTo === sent.value.id);
    if (answer)
      return failure(answer.message.text, 'Write to that member with cadre mail send, or use --force.');
    await sleep(clock, betweenLooksMs);
  }
  return failure(
    `The team ${place.name} has not ended yet: its leader has not answered.`,
    `See what its members do with cadre team show ${place.name}.`,
  );
}

/** Members in panes outlive their leader. By force they are closed from here, as the next start would do once the team has ended. */
async function endWithoutLeader(
  { place, members, around }: OpenedTeam,
  force: boolean,
): Promise<Result<void>> {
  const { machine, clock } = around;
  const listRunning = () => members.list().filter(({ name }) => members.isAlive(name));
  const running = listRunning();
  const left = force ? running.filter(({ kind }) => kind !== 'pane') : running;
  if (left.length > 0)
    return usage(
      `The leader of ${place.name} is not running, but still running: ${listNames(left)}.`,
      force
        ? 'Close those sessions first.'
        : 'Resume the session of the leader and end the team there, or use --force to close its panes.',
    );
  const ended = markEnded(place, machine, clock);
  if (!ended.ok || running.length === 0) return ended.ok ? ok(undefined) : ended;
  const { problems } = await closePanes(around);
  const open = listRunning();
  return open.length === 0
    ? ok(undefined)
    : failure(
        `The team ${place.name} has ended, but these are not closed: ${listNames(open)}.`,
        problems.join(' '),
      );
}

/** Panes that no open team wants. */
async function closePanes(around: Surroundings): Promise<Reconciled> {
  const { home, userHome, cwd, environment, machine, clock } = around;
  const settings = await readSettings(around, { sources: ['user'] });
  return reconcileTeammates(listWantedPanes(home, machine, clock), {
    ...{ environment, home, machine, clock },
    commands: settings.ok ? settings.value.teammateCommand : undefined,
    findProgram: (name) => findProgram(name, programPath(environment.PATH ?? '', cwd, userHome)),
  });
}

function listNames(members: readonly MemberRecord[]): string {
  return members.map(({ name }) => name).join(', ');
}
