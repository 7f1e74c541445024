import { isAtWork, type ShownMember } from '../../view/index.ts';
import type { Desk } from '../desk.ts';
import { createEditor, isEmpty } from '../editor/index.ts';
import type { Key } from '../keys/key.ts';
import type { Panel } from '../state.ts';
import { showLine } from '../text/index.ts';
import { describeShownItem, findItem, listItems } from './board.ts';
import { zoom } from './open-zoom.ts';
import { formatMemberId } from './rows.ts';
import { findMember } from './team.ts';

type TeamPanel = Extract<Panel, { kind: 'team' }>;
type BoardPanel = Extract<Panel, { kind: 'board' }>;

export function pressTeam(desk: Desk, panel: TeamPanel, key: Key): void {
  const { members } = desk.app.state.view.team;
  const at = findMember(members, panel.selected);
  const member = members[at];
  const { confirming, said: _, ...open } = panel;
  if (confirming !== undefined) {
    if (key.text?.toLowerCase() === 'y') desk.send({ type: 'stop_task', taskId: confirming });
    return void desk.open(open);
  }
  const scroll = (by: number) => desk.open({ ...open, up: Math.max(0, panel.up + by) });
  const move = (by: number) => {
    const next = members[Math.min(Math.max(0, at + by), Math.max(0, members.length - 1))];
    desk.open({ ...open, selected: next ? formatMemberId(next) : null });
  };
  const leap = Math.max(1, Math.floor(desk.app.state.rows / 2));
  if (key.name === 'up') return void move(-1);
  if (key.name === 'down') return void move(1);
  if (key.name === 'pageup') return void scroll(leap);
  if (key.name === 'pagedown') return void scroll(-leap);
  if (key.text === 'q') return void desk.app.closePanel();
  if (key.text === 'a' && members.length > 1) return void writeTo(desk, open, 'all');
  if (!member) return;
  if (key.name === 'return') return void lookAt(desk, open, member);
  if (key.text === 'm' && member.kind !== 'lead') return void writeTo(desk, open, member.name);
  if (key.text === 'x') askStop(desk, open, member);
}

/** A teammate of this session is zoomed into. The lead is the conversation itself; the others have a terminal of their own. */
function lookAt(desk: Desk, panel: TeamPanel, member: ShownMember): void {
  const { agentId, kind, name } = member;
  if (kind === 'lead') return void desk.app.closePanel();
  if (agentId !== null && desk.app.state.view.agents.has(agentId)) return void zoom(desk, agentId, panel);
  const where = kind === 'pane' ? 'its own pane' : kind === 'session' ? 'its own session' : 'another process';
  desk.open({
    ...panel,
    said: `${showLine(name, 60)} runs in ${where}: look there. Its mail is shown here.`,
  });
}

function askStop(desk: Desk, panel: TeamPanel, { agentId, kind, name }: ShownMember): void {
  const agent = agentId === null ? undefined : desk.app.state.view.agents.get(agentId);
  if (agent && isAtWork(agent.state)) return void desk.open({ ...panel, confirming: agent.id });
  const said =
    kind === 'lead'
      ? 'This is the lead: esc in the conversation interrupts it.'
      : agent
        ? `${showLine(name, 60)} does not run.`
        : `${showLine(name, 60)} runs in another process: stop it there, or ask the lead to shut it down.`;
  desk.open({ ...panel, said });
}

/** The message is written in the prompt, as by hand. */
function writeTo(desk: Desk, panel: TeamPanel, name: string): void {
  if (!isEmpty(desk.app.state.editor))
    return void desk.open({ ...panel, said: 'The prompt has text in it: send it or clear it first.' });
  desk.app.closePanel();
  desk.app.change({ editor: createEditor(`@${name} `) });
}

export function pressBoard(desk: Desk, panel: BoardPanel, key: Key): void {
  const { board } = desk.app.state.view.team;
  const items = listItems(board);
  const at = findItem(items, panel.selected);
  const leap = Math.max(1, desk.app.state.rows - 6);
  const steps: Record<string, number> = {
    ...{ up: -1, down: 1, pageup: -leap, pagedown: leap, home: -items.length, end: items.length },
  };
  const by = steps[key.name];
  if (key.text === 'q') return void desk.app.closePanel();
  if (by !== undefined) {
    const next = items[Math.min(Math.max(0, at + by), Math.max(0, items.length - 1))];
    return void desk.open({ ...panel, selected: next?.id ?? null });
  }
  const item = items[at];
  if (key.name !== 'return' || !item) return;
  const under: Panel = { ...panel, selected: item.id };
  desk.open({ kind: 'page', title: `Item ${item.id}`, text: describeShownItem(item, board), down: 0, under });
}
