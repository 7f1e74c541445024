import type { Question } from '../../protocol/index.ts';
import { showControls } from '../text/index.ts';
import { answered, type Field, type FieldAnswer, type Form } from './field.ts';

interface Choice {
  question: string;
  options: { label: string; description?: string }[];
  multiSelect?: boolean;
}

/** `AskUserQuestion`: one field per question, each with room for free text. */
export function choicesForm(question: Question): Form {
  // Already checked by the tool's schema.
  const choices = question.input.questions as Choice[];
  return {
    question,
    fields: choices.map(buildField),
    settle(given) {
      const answers: Record<string, string | string[]> = {};
      for (const [index, choice] of choices.entries()) {
        const value = read(given[index], choice);
        // Not an assignment: a question named __proto__ must stay a key.
        if (value !== undefined) Object.defineProperty(answers, choice.question, { value, enumerable: true });
      }
      if (Object.keys(answers).length === 0)
        return answered({
          behaviour: 'deny',
          message: 'The user chose not to answer. Continue with your best judgement.',
        });
      return answered({ behaviour: 'allow', scope: 'once', input: { ...question.input, answers } });
    },
  };
}

function buildField({ question, options, multiSelect }: Choice): Field {
  return {
    title: showControls(question),
    ...(multiSelect ? { isMany: true } : {}),
    options: [
      ...options.map(({ label, description }, index) => ({
        key: String(index + 1),
        label: showControls(description ? `${label}: ${description}` : label),
      })),
      { key: 'o', label: 'something else', asks: 'in your own words' },
      { key: 'n', label: 'no answer' },
    ],
  };
}

function read(
  given: FieldAnswer | undefined,
  { options, multiSelect }: Choice,
): string | string[] | undefined {
  if (!given || given.keys.includes('n')) return undefined;
  const labels = given.keys.flatMap((key) => options[Number(key) - 1]?.label ?? []);
  const words = given.keys.includes('o') && given.text.trim() !== '' ? [given.text.trim()] : [];
  const all = [...labels, ...words];
  return multiSelect ? all : all[0];
}
