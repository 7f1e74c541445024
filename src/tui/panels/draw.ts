import type { Drawing } from '../drawing.ts';
import { spoken, styled } from '../screen/layout.ts';
import { type Drawn, promptLines } from '../screen/prompt-lines.ts';
import { letterTo, type Panel, type ScreenState } from '../state.ts';
import { showLine, truncate } from '../text/index.ts';
import { boardKeys, boardLines } from './board.ts';
import { changesLines } from './changes.ts';
import { fieldScreen } from './field.ts';
import { around, fill, footLines } from './layout.ts';
import { pageLines } from './page-lines.ts';
import { pickLines } from './pick.ts';
import { explainReviewKeys, reviewLines } from './review.ts';
import { holdsTurn, isUnderWay, stopWords } from './rows.ts';
import { tasksLines } from './tasks.ts';
import { explainStop, teamKeys, teamLines } from './team.ts';
import { transcriptLines } from './transcript.ts';
import { workflowLines } from './workflow.ts';
import { type LineCache, zoomHead, zoomLines } from './zoom.ts';

/** The front panel, at the height of the screen. */
export function panelLines(state: ScreenState, panel: Panel, cache: LineCache, drawing: Drawing): Drawn {
  const height = state.rows - 1;
  switch (panel.kind) {
    case 'tasks': {
      const { lines, at, foot: words } = tasksLines(state.view, panel, drawing);
      const foot = footLines(words, state, drawing);
      return { lines: [...around(lines, at, height - foot.length, drawing), ...foot] };
    }
    case 'page': {
      const { lines, page, most } = drawPage(panel, state.rows, drawing);
      const from = Math.min(panel.down, most);
      const more = most > 0 ? ` · ${from + 1}–${from + page} of ${lines.length}` : '';
      const title = spoken(drawing, showLine(panel.title, 200) + more);
      const head = styled(drawing, 'heading', truncate(title, drawing.width));
      const foot = footLines('up and down scroll · esc goes back', state, drawing, 1);
      return {
        lines: [
          ...fill([head, '', ...lines.slice(from, from + page)], height - foot.length, drawing),
          ...foot,
        ],
      };
    }
    case 'team': {
      const { confirming, said } = panel;
      const stopped = state.view.team.members.find(({ agentId }) => agentId === confirming);
      const words = confirming === undefined ? (said ?? teamKeys) : explainStop(stopped?.name ?? '');
      const foot = footLines(words, state, drawing);
      const lines = teamLines(state.view, panel, height - foot.length, drawing);
      return {
        lines: [...fill(lines.slice(0, height - foot.length), height - foot.length, drawing), ...foot],
      };
    }
    case 'workflow': {
      const { lines, at, foot: words } = workflowLines(state.view, panel, drawing);
      const foot = footLines(words, state, drawing);
      return { lines: [...around(lines, at, height - foot.length, drawing), ...foot] };
    }
    case 'board': {
      const { lines, at } = boardLines(state.view, panel, drawing);
      const foot = footLines(boardKeys, state, drawing);
      return { lines: [...around(lines, at, height - foot.length, drawing), ...foot] };
    }
    case 'pick':
      return { lines: pickLines(panel, state, height, drawing) };
    case 'field':
      return fieldScreen(panel, state, height, drawing);
    case 'changes':
      return { lines: changesLines(panel, state, height, drawing) };
    case 'transcript':
      return { lines: transcriptLines(panel, state, height, drawing) };
    case 'review':
      return reviewScreen(state, panel, height, drawing);
    case 'zoom':
      return zoomScreen(state, panel, cache, height, drawing);
  }
}

/** A drawn page, how much of it is visible at once, and how far it scrolls. */
export function drawPage(
  { text }: Extract<Panel, { kind: 'page' }>,
  rows: number,
  drawing: Drawing,
): { lines: string[]; page: number; most: number } {
  const lines = pageLines(text, drawing);
  const page = Math.max(1, rows - 5);
  return { lines, page, most: Math.max(0, lines.length - page) };
}

function zoomScreen(
  state: ScreenState,
  { agentId, up, said, confirming }: Extract<Panel, { kind: 'zoom' }>,
  cache: LineCache,
  height: number,
  drawing: Drawing,
): Drawn {
  const agent = state.view.agents.get(agentId);
  if (!agent)
    return { lines: ['This agent no longer exists.', ...footLines('esc goes back', state, drawing)] };
  const head = zoomHead(agent, drawing);
  const placeholder = `Write to ${showLine(agent.name ?? agent.type, 40)}`;
  const prompt = promptLines(letterTo(state, agentId), { most: 4, placeholder, isActive: true }, drawing);
  const row = { kind: 'agent', id: agentId, agent, depth: 0 } as const;
  const keys = [
    'return sends',
    ...(isUnderWay(row) ? ['ctrl-x stops it'] : []),
    ...(holdsTurn(row) ? ['ctrl-b background'] : []),
    'ctrl-o opens everything',
    'pageup and pagedown scroll',
    'esc goes back',
  ].join(' · ');
  const asks = confirming ? stopWords(row) : undefined;
  const foot = footLines(asks ?? said ?? keys, state, drawing);
  const room = Math.max(1, height - head.length - prompt.lines.length - foot.length);
  const lines = zoomLines(state.view, agent, cache, drawing);
  const end = Math.max(Math.min(lines.length, room), lines.length - up);
  const body = fill(lines.slice(Math.max(0, end - room), end), room, drawing);
  return {
    lines: [...head, ...body, ...prompt.lines, ...foot],
    ...(prompt.cursor
      ? { cursor: { x: prompt.cursor.x, y: prompt.cursor.y + head.length + body.length } }
      : {}),
  };
}

function reviewScreen(
  state: ScreenState,
  panel: Extract<Panel, { kind: 'review' }>,
  height: number,
  drawing: Drawing,
): Drawn {
  const { title, lines, comment } = panel;
  const place =
    lines.length > 1 ? ` · line ${Math.min(panel.down + 1, lines.length)} of ${lines.length}` : '';
  const words = truncate(spoken(drawing, showLine(title, 300) + place), drawing.width);
  const head = [styled(drawing, 'heading', words), ''];
  const prompt = comment
    ? promptLines(comment, { most: 6, placeholder: 'What should change?', isActive: true }, drawing)
    : { lines: [] };
  const foot = footLines(explainReviewKeys(panel), state, drawing);
  const room = Math.max(1, height - head.length - prompt.lines.length - foot.length);
  const body = fill(reviewLines(panel, room, drawing), room, drawing);
  const cursor = 'cursor' in prompt && prompt.cursor;
  return {
    lines: [...head, ...body, ...prompt.lines, ...foot],
    ...(cursor ? { cursor: { x: cursor.x, y: cursor.y + head.length + body.length } } : {}),
  };
}
