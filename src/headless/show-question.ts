import { visibleBySigns, visibleLine } from '../lib/text/text.ts';
import type { WaitingQuestion } from '../permissions/approval-hub.ts';
import type { Question } from '../protocol/index.ts';
import { formatRule } from '../settings/rules.ts';
import { buildPreview, type Preview } from '../tools/files/preview.ts';
import { countCells } from './cells.ts';

/** A question as lines for a terminal: who asks, what, why, how risky. Complete and wrapped, never cut. */
export function showQuestion({ question, count }: WaitingQuestion, others: number, columns: number): string {
  const { asker, decision, risk, suggestions, allows, summary } = question;
  const width = Math.max(20, columns);
  const who = asker.description ? `${asker.type} (${asker.description})` : asker.type;
  const head = `── ${visibleLine(who, 200)} asks: ${visibleLine(question.toolName, 100)}${count > 1 ? ` (${count} times)` : ''} `;
  const rules = suggestions.map(formatRule);
  // A rule for a command outside the sandbox allows it to run outside each time.
  const outside = question.input.dangerouslyDisableSandbox === true ? ' (always outside the sandbox)' : '';
  return [
    '',
    head.padEnd(width, '─'),
    ...describe(buildPreview(question), width),
    ...labelled('why', decision.reason, width),
    ...labelled('risk', [risk.level, risk.reasons.join('; ')].filter(Boolean).join(': '), width),
    ...rules.flatMap((rule) => labelled('rule', `${rule}${outside}`, width)),
    ...(allows === undefined ? [] : wrap(visibleBySigns(summary), width, '', '  ')),
    ...(others > 0
      ? [`${others} more ${others === 1 ? 'question is waiting' : 'questions are waiting'}`]
      : []),
    '',
  ].join('\n');
}

/** The answers that make sense here. */
export function showChoices({
  suggestions,
  allows,
  refuses,
}: Pick<Question, 'suggestions' | 'allows' | 'refuses'>): string {
  const lasting =
    suggestions.length > 0
      ? '  a this agent  s this session  r save the rule  u save it for all projects'
      : '';
  const yes = allows === undefined ? 'once' : `yes, ${visibleLine(allows, 100)}`;
  const no = refuses === undefined ? 'deny' : `no, ${visibleLine(refuses, 100)}`;
  return `y ${yes}${lasting}  n ${no}  ? help\n> `;
}

export const help = `
  y          allow this call once
  a          allow what the rule says, for this agent, until the session ends
  s          the same, for every agent of the session
  r          the same, and write the rule to .cadre/settings.local.json of this repository
  u          the same, and write the rule to your own settings, for all projects
  n [why]    deny; the agent reads why
  Ctrl-C     deny, and end the turn

`;

function describe(preview: Preview, width: number): string[] {
  if (preview.kind === 'command') return wrapHard(preview.text, width, '  $ ', '    ', '  ↳ ');
  if (preview.kind === 'input')
    return [
      ...wrapHard(preview.text, width, '  ', '    ', '  ↳ '),
      ...(preview.note === undefined ? [] : labelled('note', preview.note, width)),
    ];
  return [
    ...labelled(preview.isNew ? 'new file' : 'file', preview.path, width),
    ...preview.text.split('\n').flatMap((line) => wrapHard(line, width, '  ', '  ', '↳ ')),
  ];
}

function labelled(label: string, text: string, width: number): string[] {
  return wrap(visibleBySigns(text), width, `${label}: `, '  ');
}

/** Between words; a word that is too long for a line is cut. */
function wrap(text: string, width: number, first: string, next: string): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(/[ \t\n]+/).flatMap((one) => cutWord(one, width - next.length))) {
    const isTooLong = countCells(line) + countCells(word) + (isEmpty ? 0 : 1) > width;
    if (isTooLong && !isEmpty) {
      lines.push(line);
      line = next;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

function cutWord(word: string, room: number): string[] {
  return wrapHard(word, Math.max(2, room), '', '', '');
}

/**
 * At the width: a command is not prose. `next` is put before each line of the text, `rest` before the continuation of a
 * long one, so that it does not look like a separate line.
 */
function wrapHard(text: string, width: number, first: string, next: string, rest: string): string[] {
  const lines: string[] = [];
  let line = first;
  let used = first.length;
  const end = (before: string) => {
    lines.push(line);
    line = before;
    used = before.length;
  };
  for (const character of text.replaceAll('\t', '    ')) {
    if (character === '\n') end(next);
    else {
      const cells = countCells(character);
      if (used + cells > width) end(rest);
      line += character;
      used += cells;
    }
  }
  lines.push(line);
  return lines;
}
