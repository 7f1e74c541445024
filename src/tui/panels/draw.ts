import type { Drawing } from '../drawing.ts';
import { styled } from '../screen/layout.ts';
import { type Drawn, promptLines } from '../screen/prompt-lines.ts';
import type { Panel, State } from '../state.ts';
import { showControls, showLine, truncate, wrap } from '../text/index.ts';
import { stopWords } from './rows.ts';
import { tasksLines } from './tasks.ts';
import { type LineCache, zoomHead, zoomLines } from './zoom.ts';

/** The panel in front, at the height of the screen. */
export function panelLines(state: State, panel: Panel, cache: LineCache, drawing: Drawing): Drawn {
  const height = state.rows - 1;
  switch (panel.kind) {
    case 'tasks': {
      const { lines, at, foot } = tasksLines(state.view, panel, drawing);
      return { lines: [...around(lines, at, height - 2), ...footLines(foot, state, drawing)] };
    }
    case 'page': {
      const { lines, page, most } = pageOf(panel, state.rows, drawing);
      const from = Math.min(panel.down, most);
      const more = most > 0 ? ` · ${from + 1}–${from + page} of ${lines.length}` : '';
      const head = styled(drawing, 'heading', truncate(showLine(panel.title, 200) + more, drawing.width));
      return {
        lines: [
          ...fill([head, '', ...lines.slice(from, from + page)], height - 2),
          ...footLines('up and down scroll · esc goes back', state, drawing),
        ],
      };
    }
    case 'pick':
      return { lines: pickLines(panel, state, height, drawing) };
    case 'zoom':
      return zoomScreen(state, panel, cache, height, drawing);
  }
}

/** A page as it is drawn, how much of it is seen at once, and how far down one can go. */
export function pageOf(
  { text }: Extract<Panel, { kind: 'page' }>,
  rows: number,
  drawing: Drawing,
): { lines: string[]; page: number; most: number } {
  const lines = wrap(showControls(text), drawing.width);
  const page = Math.max(1, rows - 5);
  return { lines, page, most: Math.max(0, lines.length - page) };
}

function pickLines(
  { title, rows, selected }: Extract<Panel, { kind: 'pick' }>,
  state: State,
  height: number,
  drawing: Drawing,
): string[] {
  const lines = rows.map(({ label, note }, index) => {
    const more = note === undefined ? '' : styled(drawing, 'dim', `  ${showLine(note, 200)}`);
    const line = `${index === selected ? '❯ ' : '  '}${showLine(label, 300)}`;
    return truncate((index === selected ? styled(drawing, 'accent', line) : line) + more, drawing.width);
  });
  const head = wrap(showControls(title), drawing.width).map((line) => styled(drawing, 'heading', line));
  return [
    ...head,
    '',
    ...around(lines, selected, height - 3 - head.length),
    ...footLines('return chooses · esc goes back', state, drawing),
  ];
}

function zoomScreen(
  state: State,
  { agentId, up, editor, said, confirming }: Extract<Panel, { kind: 'zoom' }>,
  cache: LineCache,
  height: number,
  drawing: Drawing,
): Drawn {
  const agent = state.view.agents.get(agentId);
  if (!agent)
    return { lines: ['This agent is not known any more.', ...footLines('esc goes back', state, drawing)] };
  const head = zoomHead(agent, drawing);
  const placeholder = `Write to ${showLine(agent.name ?? agent.type, 40)}`;
  const prompt = promptLines(editor, { most: 4, placeholder, isActive: true }, drawing);
  const keys =
    'return sends · pageup and pagedown scroll · ctrl-x stops it · ctrl-b background · esc goes back';
  const asks = confirming ? stopWords({ kind: 'agent', id: agentId, agent, depth: 0 }) : undefined;
  const foot = footLines(asks ?? said ?? keys, state, drawing);
  const room = Math.max(1, height - head.length - prompt.lines.length - foot.length);
  const lines = zoomLines(state.view, agent, cache, drawing);
  const end = Math.max(Math.min(lines.length, room), lines.length - up);
  const body = fill(lines.slice(Math.max(0, end - room), end), room);
  return {
    lines: [...head, ...body, ...prompt.lines, ...foot],
    ...(prompt.cursor
      ? { cursor: { x: prompt.cursor.x, y: prompt.cursor.y + head.length + body.length } }
      : {}),
  };
}

/** As many as fit, the chosen one among them. */
function around(lines: readonly string[], at: number, room: number): string[] {
  const from = Math.min(Math.max(0, at - room + 1), Math.max(0, lines.length - room));
  return fill(lines.slice(from, from + room), room);
}

function fill(lines: readonly string[], height: number): string[] {
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, () => '')];
}

function footLines(text: string, { view }: State, drawing: Drawing): string[] {
  const { length } = view.questions;
  const waits =
    length > 0 ? `${length} ${length === 1 ? 'question waits' : 'questions wait'}: ctrl-q · ` : '';
  return ['', styled(drawing, length > 0 ? 'warning' : 'dim', truncate(waits + text, drawing.width))];
}
