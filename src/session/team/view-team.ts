import { visibleLine } from '../../lib/text/text.ts';
import type { BoardItem, MemberRecord, TaskView, TeamView, WaitEdge } from '../../protocol/index.ts';
import type { LocalMember, TeamOffice } from '../../team/office.ts';

/** A team as surfaces show it. */
export function viewTeam(office: TeamOffice, items: readonly BoardItem[], waits: WaitEdge[]): TeamView {
  const { name, description } = office.record;
  const claimed = Map.groupBy(
    items.filter(({ owner, status }) => owner !== null && status === 'in_progress'),
    ({ owner }) => owner,
  );
  return {
    ...{ name, ...(description === undefined ? {} : { description }) },
    members: office.listMembers().map((member) => ({
      ...pickMember(member),
      unread: office.find(member.name)?.member.countUnread() ?? 0,
      items: (claimed.get(member.name) ?? []).map(({ id }) => id),
    })),
    waits,
  };
}

function pickMember(record: MemberRecord) {
  const { name, kind, agentId, agentType, colour, state, reason, stateSince, model } = record;
  return {
    ...{ name, kind, agentId, colour, state, stateSince },
    ...(agentType === undefined ? {} : { agentType }),
    ...(reason === undefined ? {} : { reason }),
    ...(model === undefined ? {} : { model }),
  };
}

/** What a member has not finished, in words: of another process, that it works and its items. */
export function listOpenWork(
  local: LocalMember | undefined,
  state: MemberRecord['state'] | undefined,
  running: readonly Readonly<TaskView>[],
  items: readonly string[],
): string[] {
  const unread = local?.member.countUnread() ?? 0;
  const own = running.filter(({ owner }) => owner !== null && owner === local?.agentId);
  return [
    ...(state === 'working' ? ['it was working'] : []),
    ...items.map((id) => `item ${id}`),
    ...own.map(({ description }) => `background work "${visibleLine(description, 80)}"`),
    ...(unread > 0 ? [`${unread} unread`] : []),
  ];
}
