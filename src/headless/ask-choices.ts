import { visible, visibleLine } from '../lib/text/text.ts';
import type { Answer, Question } from '../protocol/index.ts';
import type { LineTerminal } from './io.ts';
import { readWhole } from './read-whole.ts';

interface Choice {
  question: string;
  options: { label: string; description?: string }[];
  multiSelect?: boolean;
}

/** `AskUserQuestion` at a terminal: a number for each question, or the user's own words. Undefined when interrupted. */
export async function askChoices(
  terminal: LineTerminal,
  { input, asker }: Question,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  // As the tool's own schema has checked it.
  const questions = input.questions as Choice[];
  const answers: Record<string, string | string[]> = {};
  for (const [index, choice] of questions.entries()) {
    const head = index === 0 ? `\n── ${visibleLine(asker.type, 200)} asks you\n` : '\n';
    const reading = await readWhole(terminal, `${head}${render(choice)}`, signal);
    const typed =
      reading.kind === 'ended'
        ? reading.typed
        : await terminal.readLine(reading.page, { fresh: index === 0, signal });
    if (typed.kind === 'interrupt' || typed.kind === 'gone') return undefined;
    if (typed.kind === 'end' || typed.text.trim() === '') continue;
    Object.defineProperty(answers, choice.question, {
      value: readChoice(typed.text.trim(), choice),
      enumerable: true,
    });
  }
  if (Object.keys(answers).length === 0)
    return { behaviour: 'deny', message: 'The user chose not to answer. Continue with your best judgement.' };
  return { behaviour: 'allow', scope: 'once', input: { ...input, answers } };
}

function render({ question, options, multiSelect }: Choice): string {
  const rows = options.map(({ label, description }, index) => {
    const more = description ? `: ${visible(description)}` : '';
    return `  ${index + 1}  ${visible(label)}${more}`;
  });
  if (options.length === 0) return `${visible(question)}\nyour answer> `;
  const how = multiSelect ? 'numbers separated by commas, or your own words' : 'a number, or your own words';
  return `${visible(question)}\n${rows.join('\n')}\n${how}> `;
}

function readChoice(text: string, { options, multiSelect }: Choice): string | string[] {
  const labels = text.split(',').map((part) => options[Number(part.trim()) - 1]?.label);
  if (labels.some((label) => label === undefined)) return text;
  const known = labels.filter((label) => label !== undefined);
  return multiSelect ? known : known.length === 1 ? (known[0] ?? text) : text;
}
