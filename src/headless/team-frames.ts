import type { AgentEvent, BoardItem, MailMessage, MemberView, WaitEdge } from '../protocol/index.ts';
import type { SystemBody } from './task-frames.ts';

type TeamEvent = Extract<
  AgentEvent,
  { type: 'team_changed' | 'mail_moved' | 'board_changed' | 'circle_found' }
>;

/** The team, its mail and the board: subtypes of our own, named after their events. */
export function teamFrame(event: TeamEvent): SystemBody {
  switch (event.type) {
    case 'team_changed': {
      const { team } = event;
      return {
        subtype: 'team_changed',
        team: team
          ? {
              ...{ name: team.name, description: team.description },
              members: team.members.map(memberFields),
              waits: (team.waits ?? []).map(waitFields),
            }
          : null,
      };
    }
    case 'mail_moved':
      return { subtype: 'mail_moved', state: event.state, mail: mailFields(event.mail) };
    case 'board_changed':
      return { subtype: 'board_changed', board: event.board, item: itemFields(event.item) };
    case 'circle_found':
      return { subtype: 'circle_found', waits: event.edges.map(waitFields) };
  }
}

function memberFields({ name, kind, agentId, agentType, colour, state, reason, ...rest }: MemberView) {
  return {
    ...{ name, kind, state, reason, since: rest.stateSince, color: colour, model: rest.model },
    ...{ agent_id: agentId ?? undefined, agent_type: agentType, unread: rest.unread, items: rest.items },
  };
}

function mailFields({ id, team, from, to, kind, sentAt, text, summary, body, ...rest }: MailMessage) {
  return {
    ...{ id, team, from, to, kind, sent_at: sentAt, summary, text, body },
    ...{ in_reply_to: rest.inReplyTo, awaits_answer: rest.awaitsAnswer },
  };
}

function itemFields({ id, revision, subject, description, status, owner, links, ...rest }: BoardItem) {
  return {
    ...{ id, revision, subject, description, status, owner, links, metadata: rest.metadata },
    ...{ created_by: rest.createdBy, changed_by: rest.changedBy, changed_at: rest.changedAt },
  };
}

function waitFields({ from, to, kind, what, since }: WaitEdge) {
  return { from, to, kind, what, since };
}
