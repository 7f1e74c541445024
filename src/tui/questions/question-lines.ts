import type { Question } from '../../protocol/index.ts';
import { type Preview, previewOf } from '../../tools/preview.ts';
import { formatDuration, type View, type WaitingQuestion } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { hang, styled } from '../screen/layout.ts';
import {
  agentStyle,
  paint,
  renderCommand,
  renderDiff,
  renderMarkdown,
  renderOutput,
  showLine,
  truncate,
  width,
  wrap,
} from '../text/index.ts';

/** Who asks, in the colour of its rows, and for what it was started. */
export function askerLine({ question, count }: WaitingQuestion, view: View, drawing: Drawing): string {
  const { asker, agentId, toolName } = question;
  const agent = agentId === null ? undefined : view.agents.get(agentId);
  const times = count > 1 ? ` (${count} times)` : '';
  const verb = ` ${verbs[toolName] ?? `asks: ${showLine(toolName, 80)}`}${times}`;
  const room = drawing.width - width(verb);
  const name = asker.description ? `${asker.type} (${asker.description})` : asker.type;
  const [long, short] = asker.background ? [', in the background,', ', background,'] : ['', ''];
  const where = width(name + long) > room ? short : long;
  const who = nameIn(Math.max(leastName, room - width(where)), asker);
  const badge = agent ? paint(agentStyle(drawing.theme, agent.colour), who) : styled(drawing, 'strong', who);
  return truncate(badge + where + verb, drawing.width);
}

/** In cells: however long it is what somebody wants, so much of the line says who. */
const leastName = 16;
const leastType = 5;

/** Of several of one type each is told by what it is for: the type gives way first, then the middle of that. */
function nameIn(room: number, asker: Question['asker']): string {
  const type = showLine(asker.type, 80);
  if (!asker.description) return truncate(type, room);
  const description = showLine(asker.description, 120);
  const cut = truncate(type, Math.max(leastType, room - width(` (${description})`)));
  return `${cut} (${truncate(description, room - width(`${cut} ()`), 'middle')})`;
}

const verbs: Readonly<Record<string, string>> = {
  ExitPlanMode: 'has a plan',
  AskUserQuestion: 'asks you',
  Dream: 'proposes notes',
};

/** What is asked about, whole: what is approved must have been seen. */
export function questionLines(question: Question, drawing: Drawing): string[] {
  const { decision, risk, expiresAt } = question;
  const left = expiresAt === null ? undefined : Math.max(0, expiresAt - drawing.now);
  const isPermission = question.toolName !== 'ExitPlanMode' && question.toolName !== 'AskUserQuestion';
  return [
    ...subjectLines(question, drawing),
    ...(isPermission ? labelled('why', decision.reason, drawing) : []),
    ...(isPermission
      ? labelled('risk', [risk.level, risk.reasons.join('; ')].filter(Boolean).join(': '), drawing)
      : []),
    ...(left === undefined ? [] : labelled('ends', endOf(question, formatDuration(left)), drawing)),
  ];
}

function endOf({ toolName }: Question, left: string): string {
  return toolName === 'Dream' ? `in ${left}, and stays a proposal: cadre dream list` : `as a no in ${left}`;
}

function subjectLines(question: Question, drawing: Drawing): string[] {
  const { width, theme, highlighter } = drawing;
  const more = highlighter ? { highlighter } : {};
  const { input, toolName, elicitation } = question;
  if (toolName === 'ExitPlanMode' && typeof input.plan === 'string')
    return renderMarkdown(input.plan, { width, theme, ...more });
  if (toolName === 'AskUserQuestion') return [];
  if (elicitation) {
    const url = elicitation.url === undefined ? '' : `\n${elicitation.url}`;
    return renderOutput(`${elicitation.message}${url}`, { width, theme });
  }
  return previewLines(previewOf(question), drawing);
}

function previewLines(preview: Preview, drawing: Drawing): string[] {
  const { width, theme, highlighter } = drawing;
  const more = highlighter ? { highlighter } : {};
  if (preview.kind === 'command') return renderCommand(preview.text, { width, theme, ...more });
  if (preview.kind === 'input')
    return [
      ...wrap(preview.text, width, { hard: true }),
      ...(preview.note === undefined ? [] : labelled('note', preview.note, drawing)),
    ];
  return [
    ...labelled(preview.isNew ? 'new file' : 'file', preview.path, drawing),
    ...renderDiff({ unified: preview.text }, { width, theme, path: preview.path, isNamed: true, ...more }),
  ];
}

function labelled(label: string, text: string, drawing: Drawing): string[] {
  const first = styled(drawing, 'dim', `${label}: `);
  return hang(wrap(showLine(text, 2_000), Math.max(10, drawing.width - label.length - 2)), first);
}
