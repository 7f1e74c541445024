import { joinLines } from '../../lib/text/text.ts';
import type { Question } from '../../protocol/index.ts';
import { formatRule } from '../../settings/rules.ts';
import { buildPreview, inputText, type Preview } from '../../tools/files/preview.ts';
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
  type StyleName,
  shortenPlaces,
  showControls,
  showLine,
  truncate,
  width,
  wrap,
} from '../text/index.ts';
import { patchedLines } from './patched-lines.ts';
import { phraseQuestion } from './sentence.ts';

/** The asking agent, in the colour of its rows, its purpose, and what it asks for in a sentence. */
export function askerLine(
  { question, count }: ShownQuestion,
  view: View,
  drawing: Drawing,
  { preview } = questionSource(question),
): string {
  const { agentId } = question;
  const asker = nameTeammate(question.asker);
  const agent = agentId === null ? undefined : view.agents.get(agentId);
  const times = count > 1 ? ` (${count} times)` : '';
  const own = describeOwn(question);
  const worktree = agent?.worktree?.path;
  const say = (cells: number) =>
    own === undefined
      ? phraseQuestion(question, preview, { room: cells, places: drawing.places, worktree })
      : '';
  const verb = own === undefined ? ' asks: ' : ` ${own}`;
  const whole = width(showLine(formatWho(asker), maxWho)) + (asker.background ? width(inBackground[1]) : 0);
  const kept = Math.min(whole, Math.max(minNameWidth, Math.floor(drawing.width / 2)));
  const sentence = say(drawing.width - kept - width(verb + times));
  const room = drawing.width - width(verb + sentence + times);
  const name = formatWho(asker);
  const [long, short] = asker.background ? inBackground : ['', ''];
  const where = width(name + long) > room ? short : long;
  const who = formatAskerName(Math.max(minNameWidth, room - width(where)), asker);
  const badge = agent ? paint(agentStyle(drawing.theme, agent.colour), who) : styled(drawing, 'strong', who);
  return truncate(badge + where + verb + styled(drawing, 'strong', sentence) + times, drawing.width);
}

const maxWho = 200;
const inBackground = [', in the background,', ', background,'] as const;

function formatWho({ type, description }: Question['asker']): string {
  return description ? `${type} (${description})` : type;
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

/** Questions that are more than one call: what they are about comes below. */
function describeOwn({ toolName, allows, elicitation }: Question): string | undefined {
  if (elicitation) return `asks for the MCP server ${showLine(elicitation.server, 60)}`;
  return verbs[toolName] ?? (allows === undefined ? undefined : 'asks:');
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
export function questionLines(question: Question, drawing: Drawing, source?: QuestionSource): string[] {
  const { subject, facts } = questionParts(question, drawing, source);
  return [...subject, ...facts];
}

export function questionParts(
  question: Question,
  drawing: Drawing,
  { preview } = questionSource(question),
): { subject: string[]; facts: string[] } {
  const { risk, expiresAt, allows } = question;
  const left = expiresAt === null ? undefined : Math.max(0, expiresAt - drawing.now);
  const isPermission = question.toolName !== 'ExitPlanMode' && question.toolName !== 'AskUserQuestion';
  const facts = [
    ...(allows === undefined || isShort(allows) ? [] : labelled('yes', allows, drawing)),
    ...longRules(question).flatMap((rule) => labelled('rule', rule, drawing)),
    ...(isPermission ? sentenceLines('dim', nameFiles(describeReason(question), drawing, '.'), drawing) : []),
    ...(isPermission ? riskLines(risk, drawing) : []),
    ...(left === undefined
      ? []
      : sentenceLines('dim', describeTimeout(question, formatDuration(left)), drawing)),
  ];
  return { subject: subjectLines(question, preview, drawing), facts };
}

function describeReason({ toolName, decision: { reason } }: Question): string {
  return toolName === 'Dream' ? `It was ${reason}` : `Asked because ${reason}`;
}

function describeTimeout({ toolName }: Question, left: string): string {
  return toolName === 'Dream'
    ? `Without an answer in ${left} it stays a proposal: cadre dream list`
    : `Without an answer it is denied in ${left}`;
}

/** A low or medium risk without a reason is not news: the question itself says what would happen. */
function riskLines({ level, reasons }: Question['risk'], drawing: Drawing): string[] {
  if (level !== 'high' && reasons.length === 0) return [];
  const style = level === 'high' ? 'error' : level === 'medium' ? 'warning' : 'dim';
  const name = `${level[0]?.toUpperCase()}${level.slice(1)} risk`;
  return sentenceLines(style, [name, reasons.join('; ')].filter(Boolean).join(': '), drawing);
}

function sentenceLines(style: StyleName, text: string, drawing: Drawing): string[] {
  return wrap(showControls(joinLines(text)), drawing.width).map((line) => styled(drawing, style, line));
}

function subjectLines(question: Question, preview: Preview | undefined, drawing: Drawing): string[] {
  const { width, theme } = drawing;
  const { input, toolName, elicitation, allows, summary } = question;
  if (allows !== undefined) return ownLines(summary, input, preview, drawing);
  if (toolName === 'ExitPlanMode' && typeof input.plan === 'string') return planLines(input.plan, drawing);
  if (elicitation) {
    const url = elicitation.url === undefined ? '' : `\n${elicitation.url}`;
    return renderShown(`${elicitation.message}${url}`, { width, theme });
  }
  return preview ? previewLines(preview, drawing) : [];
}

/** A question of the harness is its own sentence; what it was asked with follows only if the sentence leaves some of it out. */
function ownLines(
  summary: string,
  input: Question['input'],
  preview: Preview | undefined,
  drawing: Drawing,
): string[] {
  const sentence = wrap(showControls(joinLines(summary)), drawing.width);
  const isRestated =
    preview?.kind === 'input' &&
    preview.text === inputText(input) &&
    Object.values(input).every((value) => summary.includes(String(value)));
  return [
    ...sentence.map((line) => styled(drawing, 'strong', line)),
    ...(preview === undefined || isRestated ? [] : previewLines(preview, drawing)),
  ];
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
  if (preview.kind === 'command') {
    const end = preview.text.lastIndexOf('\n');
    return [
      ...renderCommand(preview.text.slice(0, end), { width, theme, ...more }),
      ...placeLines(preview.text.slice(end + 1), drawing),
    ];
  }
  if (preview.kind === 'input')
    return [
      ...patchedLines(preview.text, drawing),
      ...(preview.note === undefined ? [] : labelled('note', preview.note, drawing)),
    ];
  return [
    ...labelled(preview.isNew ? 'new file' : 'file', nameFiles(preview.path, drawing), drawing),
    ...renderDiff({ unified: preview.text }, { width, theme, path: preview.path, isNamed: true, ...more }),
  ];
}

/**
 * Files below the session's directory as seen from there; all others in full, so that none of them looks like one inside.
 * In a sentence `./` tells a name from a word.
 */
function nameFiles(text: string, { places }: Drawing, here: '' | '.' = ''): string {
  const own = places.filter(({ name }) => name === '');
  return shortenPlaces(
    text,
    own.map(({ path }) => ({ path, name: here })),
  );
}

/** Where the command runs: our own words below it. */
function placeLines(place: string, drawing: Drawing): string[] {
  const room = Math.max(10, drawing.width - 2);
  return renderShown(place, { width: room, theme: drawing.theme, style: drawing.theme.styles.dim }).map(
    (line) => `  ${line}`,
  );
}

function labelled(label: string, text: string, drawing: Drawing): string[] {
  const first = styled(drawing, 'dim', `${label}: `);
  return hang(wrap(showControls(joinLines(text)), Math.max(10, drawing.width - label.length - 2)), first);
}
