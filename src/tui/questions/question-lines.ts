import { joinLines } from '../../lib/text/text.ts';
import type { Question } from '../../protocol/index.ts';
import { formatRule } from '../../settings/rules.ts';
import { buildPreview, type Preview } from '../../tools/files/preview.ts';
import { formatDuration, type ShownQuestion, type View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { hang, styled } from '../screen/layout.ts';
import {
  agentStyle,
  paint,
  renderCommand,
  renderDiff,
  renderMarkdown,
  renderShown,
  showControls,
  showLine,
  truncate,
  width,
  wrap,
} from '../text/index.ts';

/** The asking agent, in the colour of its rows, and its purpose. */
export function askerLine({ question, count }: ShownQuestion, view: View, drawing: Drawing): string {
  const { agentId, toolName } = question;
  const asker = nameTeammate(question.asker);
  const agent = agentId === null ? undefined : view.agents.get(agentId);
  const times = count > 1 ? ` (${count} times)` : '';
  const verb = ` ${verbs[toolName] ?? `asks: ${showLine(toolName, 80)}`}${times}`;
  const room = drawing.width - width(verb);
  const name = asker.description ? `${asker.type} (${asker.description})` : asker.type;
  const [long, short] = asker.background ? [', in the background,', ', background,'] : ['', ''];
  const where = width(name + long) > room ? short : long;
  const who = formatAskerName(Math.max(minNameWidth, room - width(where)), asker);
  const badge = agent ? paint(agentStyle(drawing.theme, agent.colour), who) : styled(drawing, 'strong', who);
  return truncate(badge + where + verb, drawing.width);
}

/** A teammate is known by its address, and is always in the background. */
function nameTeammate({ member, ...asker }: Question['asker']): Question['asker'] {
  if (member === undefined) return asker;
  const { background: _, ...rest } = asker;
  return { ...rest, type: member };
}

/** In cells: however long the request is, this much of the line names the agent. */
const minNameWidth = 16;
const minType = 5;

/** Agents of one type are told apart by their purpose: the type is shortened first, then the middle of the purpose. */
function formatAskerName(room: number, asker: Question['asker']): string {
  const type = showLine(asker.type, 80);
  if (!asker.description) return truncate(type, room);
  const description = showLine(asker.description, 120);
  const cut = truncate(type, Math.max(minType, room - width(` (${description})`)));
  return `${cut} (${truncate(description, room - width(`${cut} ()`), 'middle')})`;
}

const verbs: Readonly<Record<string, string>> = {
  ExitPlanMode: 'has a plan',
  AskUserQuestion: 'asks you',
  Dream: 'proposes notes',
};

/** The subject of a question, as drawn. */
export interface QuestionSource {
  readonly preview?: Preview;
  /** Everything to be read before it is allowed. */
  readonly text: string;
}

export function questionSource(question: Question): QuestionSource {
  const { toolName, input, elicitation } = question;
  const isAsked = toolName !== 'ExitPlanMode' && toolName !== 'AskUserQuestion' && !elicitation;
  const preview = isAsked ? buildPreview(question) : undefined;
  const subject = preview ?? elicitation ?? input;
  const text = JSON.stringify([subject, formatRules(question), question.allows]);
  return { text, ...(preview ? { preview } : {}) };
}

/** The subject, whole, then the reason for asking and the risk: all of it is seen before it is approved. */
export function questionLines(
  question: Question,
  drawing: Drawing,
  { preview } = questionSource(question),
): string[] {
  const { decision, risk, expiresAt, allows } = question;
  const left = expiresAt === null ? undefined : Math.max(0, expiresAt - drawing.now);
  const isPermission = question.toolName !== 'ExitPlanMode' && question.toolName !== 'AskUserQuestion';
  const level = [risk.level, risk.reasons.join('; ')].filter(Boolean).join(': ');
  return [
    ...subjectLines(question, preview, drawing),
    ...(allows === undefined || isShort(allows) ? [] : labelled('yes', allows, drawing)),
    ...longRules(question).flatMap((rule) => labelled('rule', rule, drawing)),
    ...(isPermission ? labelled('why', decision.reason, drawing) : []),
    ...(isPermission ? labelled('risk', level, drawing) : []),
    ...(left === undefined
      ? []
      : labelled('expires', describeTimeout(question, formatDuration(left)), drawing)),
  ];
}

function describeTimeout({ toolName }: Question, left: string): string {
  return toolName === 'Dream' ? `in ${left}, and stays a proposal: cadre dream list` : `denied in ${left}`;
}

function subjectLines(question: Question, preview: Preview | undefined, drawing: Drawing): string[] {
  const { width, theme } = drawing;
  const { input, toolName, elicitation } = question;
  if (toolName === 'ExitPlanMode' && typeof input.plan === 'string') return planLines(input.plan, drawing);
  if (elicitation) {
    const url = elicitation.url === undefined ? '' : `\n${elicitation.url}`;
    return renderShown(`${elicitation.message}${url}`, { width, theme });
  }
  return preview ? previewLines(preview, drawing) : [];
}

/** As Markdown, unless that would hide some words: link titles, cells beyond the columns. */
function planLines(plan: string, { width, theme, highlighter }: Drawing): string[] {
  const options = { width, theme: { ...theme, hyperlinks: false }, reading: 'all' as const };
  const lines = renderMarkdown(plan, { ...options, ...(highlighter ? { highlighter } : {}) });
  return holdsAll(plan, lines) ? lines : renderShown(plan, { width, theme });
}

function holdsAll(source: string, lines: readonly string[]): boolean {
  const shown = countLetters(lines.map((line) => line.replaceAll(paintMarks, '')).join(' '));
  return [...countLetters(source)].every(([letter, count]) => (shown.get(letter) ?? 0) >= count);
}

const paintMarks = /\u001b\[[\d;]*m/g;

function countLetters(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [letter] of text.matchAll(/[\p{L}\p{N}]/gu)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}

/** Text as short as this is read beside the answer itself. */
export function isShort(text: string): boolean {
  return text.length <= 60;
}

export function formatRules({ suggestions }: Question): string[] {
  return suggestions.map(formatRule);
}

/** Rules that do not fit beside the answers: shown whole with the question. */
export function longRules(question: Question): string[] {
  const rules = formatRules(question);
  return isShort(rules.join(', ')) || isForThisAlone(question) ? [] : rules;
}

/** The rule is exactly the command shown. */
export function isForThisAlone({ suggestions, input }: Question): boolean {
  return suggestions.length === 1 && suggestions[0]?.specifier === input.command;
}

function previewLines(preview: Preview, drawing: Drawing): string[] {
  const { width, theme, highlighter } = drawing;
  const more = highlighter ? { highlighter } : {};
  if (preview.kind === 'command') return renderCommand(preview.text, { width, theme, ...more });
  if (preview.kind === 'input')
    return [
      ...renderShown(preview.text, { width, theme }),
      ...(preview.note === undefined ? [] : labelled('note', preview.note, drawing)),
    ];
  return [
    ...labelled(preview.isNew ? 'new file' : 'file', preview.path, drawing),
    ...renderDiff({ unified: preview.text }, { width, theme, path: preview.path, isNamed: true, ...more }),
  ];
}

function labelled(label: string, text: string, drawing: Drawing): string[] {
  const first = styled(drawing, 'dim', `${label}: `);
  return hang(wrap(showControls(joinLines(text)), Math.max(10, drawing.width - label.length - 2)), first);
}
