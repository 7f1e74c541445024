import { basename } from 'node:path';
import { formatTime } from '../../lib/text/duration.ts';
import { totalTokens } from '../../protocol/message.ts';
import { formatCount, formatSpent, formatTokens } from '../../view/format.ts';
import { countSuspended } from '../../view/status.ts';
import { taskCounts } from '../../view/task-list.ts';
import type { View } from '../../view/view.ts';
import type { Drawing } from '../drawing.ts';
import { showLine } from '../text/controls.ts';
import type { StyleName } from '../text/theme.ts';
import { width } from '../text/width.ts';
import { truncate } from '../text/wrap.ts';
import { spoken, styled } from './layout.ts';

export interface StatusOptions {
  /** The output of the user's command; it replaces ours. */
  readonly custom?: readonly string[];
  /** An urgent notice: it comes before everything else. */
  readonly hint?: string;
  readonly questions: number;
}

/** Directory, mode, model, context and cost: one line, the least important left out first. */
export function statusLines(view: View, options: StatusOptions, drawing: Drawing): string[] {
  const { hint, custom, questions } = options;
  const first = hint === undefined ? undefined : styled(drawing, 'warning', truncate(hint, drawing.width));
  const own = custom?.map((line) => truncate(line, drawing.width)) ?? [ours(view, drawing)];
  return [...(first === undefined ? own : [first]), ...workLine(view, questions, drawing)];
}

function ours({ session, cost }: View, drawing: Drawing): string {
  const { used, window } = session.context;
  const branch = session.branch === null ? '' : ` (${showLine(session.branch, 40)})`;
  const model = showLine(session.model, 60);
  const effort = session.effort ? ` (${session.effort} effort)` : '';
  const mark = session.mode === 'acceptEdits' && !drawing.plain ? '▸▸ ' : '';
  const parts: Part[] = [
    {
      text: shortPath(session.cwd, drawing.home) + branch,
      short: showLine(basename(session.cwd), 24) + branch,
      weight: 3,
    },
    {
      text: mark + modeLabel(session.mode),
      short: mark + modeWord(session.mode),
      shortest: session.mode === 'default' ? 'asks' : mark + modeWord(session.mode),
      ...{ weight: 5, isRoomy: true, style: modeStyle(session.mode) },
    },
    ...(session.coordinator ? [{ text: 'coordinator', weight: 4 }] : []),
    {
      text: `${model}${effort}`,
      short: `${model.slice(model.lastIndexOf('/') + 1)}${effort}`,
      shortest: model.slice(model.lastIndexOf('/') + 1),
      weight: 4,
    },
    ...(used > 0 ? [{ text: contextWord(used, window), weight: 2 }] : []),
    ...(cost.requests > 0
      ? [
          {
            // Of a model without a known price, such as a local one, the tokens are all there is to say.
            text: `${cost.microUsd === null ? '' : `${formatSpent(cost)} · `}${formatTokens(totalTokens(cost.usage))}`,
            ...(cost.microUsd === null ? {} : { short: formatSpent(cost) }),
            isLast: true,
            weight: 3,
          },
        ]
      : []),
  ].filter(({ text }) => text !== '');
  const shown = fit(parts, drawing.width).map(({ text, style }) =>
    styled(drawing, style ?? 'dim', spoken(drawing, text)),
  );
  return truncate(shown.join(styled(drawing, 'dim', spoken(drawing, ' · '))), drawing.width);
}

interface Part {
  text: string;
  /** Used instead if there is little room. */
  short?: string;
  /** Used before anything is left out. */
  shortest?: string;
  /** The others are dim. */
  style?: StyleName;
  /** The least important goes first. */
  weight: number;
  /** It is shortened after all others. */
  isLast?: boolean;
  /** The long form is used only if everything else has its own. */
  isRoomy?: boolean;
}

function fit(parts: readonly Part[], room: number): readonly Part[] {
  const joined = (all: readonly Part[]) => all.map(({ text }) => text).join(' · ');
  if (width(joined(parts)) <= room) return parts;
  let left = parts.map((part) => (part.isRoomy ? shortened(part) : part));
  const inOrder = [...parts.filter(({ isLast }) => !isLast), ...parts.filter(({ isLast }) => isLast)];
  for (const part of inOrder) {
    if (width(joined(left)) <= room) return left;
    left = left.map((one) => (one.text === part.text && one.short === part.short ? shortened(one) : one));
  }
  if (width(joined(left)) > room) left = left.map((one) => ({ ...one, text: one.shortest ?? one.text }));
  while (width(joined(left)) > room && left.length > 1) {
    const least = left.reduce((a, b) => (b.weight < a.weight ? b : a));
    left.splice(left.indexOf(least), 1);
  }
  return left;
}

function shortened(part: Part): Part {
  return { ...part, text: part.short ?? part.text };
}

function contextWord(used: number, window: number | null): string {
  return window === null ? `context ${formatCount(used)}` : `context ${Math.round((used / window) * 100)}%`;
}

const modeWords: Readonly<Record<string, string>> = {
  default: 'asks before edits',
  acceptEdits: 'accepts edits',
  plan: 'plan mode',
  auto: 'auto mode',
  dontAsk: 'denies instead of asking',
  bypassPermissions: 'ASKS NOTHING, ALLOWS ALL',
};

export function modeWord(mode: string): string {
  return modeWords[mode] ?? mode;
}

const modeLabels: Readonly<Record<string, string>> = {
  default: 'asks before edits and unsandboxed commands',
  acceptEdits: 'accepts edits, asks before unsandboxed commands',
};

/** What deserves attention: where nothing is asked, or where nothing can be changed. */
export function modeStyle(mode: string): StyleName | undefined {
  return modeStyles[mode];
}

const modeStyles: Readonly<Record<string, StyleName>> = {
  acceptEdits: 'warning',
  auto: 'warning',
  plan: 'accent',
  bypassPermissions: 'error',
};

/** A mode's effect, if there is room to say it. */
export function modeLabel(mode: string): string {
  return modeLabels[mode] ?? modeWord(mode);
}

export function shortPath(path: string, home: string): string {
  const shown = path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  return truncate(showLine(shown, 200), 40, 'start');
}

/** Other running work, and waiting questions: with its keys where there is room for them. */
function workLine(view: View, questions: number, drawing: Drawing): string[] {
  const separator = spoken(drawing, ' · ');
  const parts = workParts(view, questions, drawing.now);
  const texts = parts.map(({ text }) => text);
  const isLong = width(texts.join(separator)) > drawing.width;
  const shown = parts.map(({ text, short, style }) => styled(drawing, style, isLong ? short : text));
  return shown.length === 0 ? [] : [truncate(shown.join(styled(drawing, 'dim', separator)), drawing.width)];
}

function workParts(
  view: View,
  questions: number,
  now: number,
): { text: string; short: string; style: StyleName }[] {
  const { suspended, suspendedUntil } = countSuspended(view);
  const { running, pending } = taskCounts(view);
  const work = running + pending;
  const asked = `${questions} ${questions === 1 ? 'question' : 'questions'}`;
  const tasks = `${work} ${work === 1 ? 'task' : 'tasks'}`;
  const paused = `${suspended === 1 ? '' : `${suspended} agents `}suspended until ${formatTime(suspendedUntil ?? now, now)}`;
  return [
    ...(questions > 0
      ? [{ text: `${asked} waiting: ctrl-q answers`, short: `${asked}: ctrl-q`, style: 'warning' as const }]
      : []),
    ...(suspendedUntil === null ? [] : [{ text: paused, short: paused, style: 'warning' as const }]),
    ...(work > 0
      ? [{ text: `${tasks} running (ctrl-t to view)`, short: `${tasks}: ctrl-t`, style: 'accent' as const }]
      : []),
  ];
}
