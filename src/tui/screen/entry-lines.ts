import { visibleNames } from '../../lib/text/text.ts';
import type { Entry, Excerpt, ShownCall, Work } from '../../view/index.ts';
import { formatCost, formatDuration, formatTokens } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import {
  endStream,
  paintSpans,
  renderMarkdown,
  renderOutput,
  showControls,
  showLine,
  truncate,
  width,
  wrap,
} from '../text/index.ts';
import { agentEndLines } from './agent-lines.ts';
import { callLines, opens } from './call-lines.ts';
import { hang, hangText, sign, spoken, styled } from './layout.ts';
import { countRewound, describeRewound } from './rewound.ts';
import { ranLines } from './shell-lines.ts';

/** A finished piece of a conversation, written once. The first line is empty if it is set apart. */
export function entryLines(entry: Entry, drawing: Drawing): string[] {
  switch (entry.kind) {
    case 'prompt':
      return ['', ...promptLines(entry, drawing)];
    case 'text':
      return textLines(entry.text, drawing);
    case 'thinking':
      return thinkingLines(entry.text, drawing);
    case 'call':
      return ['', ...callLines(entry.call, drawing)];
    case 'agents':
      return ['', ...agentCallLines(entry.calls, drawing)];
    case 'notification':
      return [
        '',
        ...(entry.agent
          ? agentEndLines(entry.agent, drawing)
          : hangText(showLine(entry.summary, 300), sign(drawing, '·', 'Task:'), drawing).map((line) =>
              styled(drawing, 'dim', line),
            )),
      ];
    case 'ran':
      return ['', ...ranLines(entry.command, shownExcerpt(entry.text), entry.reason, drawing)];
    case 'mail':
      return ['', ...mailLines(entry.from, entry.text, drawing)];
    case 'notice':
      return ['', ...noticeLines(entry.level, entry.text, drawing)];
    case 'hook':
      return ['', ...noticeLines(entry.isError ? 'error' : 'info', `${entry.name}: ${entry.text}`, drawing)];
    case 'refused':
      return ['', ...noticeLines('warning', entry.text, drawing)];
    case 'compaction': {
      const words = `The conversation was compacted: ${formatTokens(entry.preTokens)} became ${formatTokens(entry.postTokens)}.`;
      return ['', ...noticeLines('info', words, drawing)];
    }
    case 'rewind': {
      const count = entry.restored.length + entry.removed.length;
      const files = count === 0 ? 'no file changes' : countRewound(entry);
      const words = `Rewound${entry.isConversation ? ' to an earlier point' : ' files to an earlier point'}; ${files}. /rewind can undo it.`;
      const named = describeRewound(entry, drawing.places).map(visibleNames);
      return ['', ...noticeLines('info', [words, ...named].join('\n'), drawing)];
    }
    case 'end':
      return endLines(entry, drawing);
    case 'reminder':
      return [];
  }
}

/** The number of identical failures that are still listed one by one. */
const maxAlike = 3;

/** Of many agents that were never started, for example in a stopped turn, only their number and the reason. */
function agentCallLines(calls: readonly ShownCall[], drawing: Drawing): string[] {
  const findReason = ({ state, agents, result }: ShownCall) =>
    state === 'failed' && agents.length === 0 ? result?.text : undefined;
  const alike = Map.groupBy(calls, findReason);
  return calls.flatMap((call) => {
    const reason = findReason(call);
    const group = alike.get(reason) ?? [];
    if (reason === undefined || group.length <= maxAlike) return callLines(call, drawing);
    const words = `${group.length} agents were not started. ${showLine(reason, 300)}`;
    return group[0] === call ? hangText(words, sign(drawing, '○', 'Agents:'), drawing) : [];
  });
}

function promptLines({ from, text, images }: Extract<Entry, { kind: 'prompt' }>, drawing: Drawing): string[] {
  const mark =
    from === 'person' ? sign(drawing, '❯', 'You:') : sign(drawing, '▸', 'Asked by the agent above:');
  const shown = [
    ...wrap(shownExcerpt(text), Math.max(10, drawing.width - 2)),
    ...(images > 0 ? [`(${images} ${images === 1 ? 'image' : 'images'})`] : []),
  ];
  return hang(shown, mark, '  ').map((line, index) => bandLine(line, index === 0 ? mark : '', drawing));
}

/** On a band from edge to edge, where the terminal has colours for it. */
function bandLine(line: string, mark: string, { width: cells, theme, plain }: Drawing): string {
  const { accent, user, band } = theme.styles;
  const rest = line.slice(mark.length);
  const padding = band.bg === undefined || plain ? '' : ' '.repeat(Math.max(0, cells - width(line)));
  return paintSpans([
    { text: mark, style: { ...accent, ...band } },
    { text: rest + padding, style: { ...user, ...band } },
  ]);
}

/** Complete Markdown, in the same pieces in which it would have streamed. */
function textLines(text: string, drawing: Drawing): string[] {
  return endStream(text).flatMap((piece) => pieceLines(piece, drawing));
}

export function pieceLines(piece: { markdown: string; joins: boolean }, drawing: Drawing): string[] {
  const { width, theme, highlighter } = drawing;
  const options = { width, theme, joins: piece.joins, ...(highlighter ? { highlighter } : {}) };
  return [...(piece.joins ? [] : ['']), ...renderMarkdown(piece.markdown, options)];
}

const thinkingShown = 4;

export function thinkingLines(text: string, drawing: Drawing, maxLines = thinkingShown): string[] {
  if (text.trim() === '') return [];
  const { width, theme } = drawing;
  const lines = renderOutput(text.trim(), { width: width - 2, theme, maxLines, hint: opens });
  const mark = sign(drawing, '∴', 'Thinking:');
  return ['', ...hang(lines, mark, '  ').map((line) => styled(drawing, 'dim', line))];
}

function mailLines(from: string, text: Excerpt, drawing: Drawing): string[] {
  const head = `${sign(drawing, '✉', 'Message')}from ${showLine(from, 80)}: `;
  return hangText(head + shownExcerpt(text), '', drawing);
}

export function noticeLines(level: 'info' | 'warning' | 'error', text: string, drawing: Drawing): string[] {
  const marks = { info: ['·', 'Note:'], warning: ['!', 'Warning:'], error: ['✗', 'Error:'] } as const;
  const [glyph, word] = marks[level];
  const name = level === 'info' ? 'dim' : level;
  const lines = wrap(showControls(text), Math.max(10, drawing.width - 2));
  return hang(lines, sign(drawing, glyph, word), '  ').map((line) => styled(drawing, name, line));
}

function endLines(
  { outcome, reason, durationMs, work }: Extract<Entry, { kind: 'end' }>,
  drawing: Drawing,
): string[] {
  if (outcome === 'completed') return work ? ['', doneLine(work, drawing)] : [];
  const took = formatDuration(durationMs);
  const why = reason === null ? '' : `: ${reason}`;
  if (outcome === 'interrupted') {
    const stopped = `Stopped after ${took}${reason === byUser ? '.' : why}`;
    return ['', ...noticeLines('warning', stopped, drawing)];
  }
  const words = outcome.replaceAll('_', ' ');
  return ['', ...noticeLines('error', `${words} after ${took}${why}`, drawing)];
}

/** Not news to the one who did it. */
const byUser = 'Interrupted by the user.';

/** What a request took. */
function doneLine({ durationMs, files, microUsd }: Work, drawing: Drawing): string {
  const parts = [
    `Done in ${formatDuration(durationMs)}`,
    ...(files > 0 ? [`${files} ${files === 1 ? 'file' : 'files'} changed`] : []),
    ...(microUsd ? [formatCost(microUsd)] : []),
  ].join(' · ');
  const mark = drawing.plain ? '' : styled(drawing, 'success', '✓ ');
  return mark + styled(drawing, 'dim', truncate(spoken(drawing, parts), drawing.width - 2));
}

function shownExcerpt({ text, characters }: Excerpt): string {
  const shown = showControls(text, 'prose');
  return characters > text.length ? `${shown}\n(${characters} characters in all)` : shown;
}
