import type { Question } from '../../protocol/index.ts';
import { answered, denial, type Form } from './field.ts';

/** A plan is approved, approved along with edits, sent back with a reason, or changed first. */
export function planForm(question: Question, edited?: string): Form {
  const input = edited === undefined ? {} : { input: { ...question.input, plan: edited } };
  return {
    question: edited === undefined ? question : { ...question, input: { ...question.input, plan: edited } },
    fields: [
      {
        title: 'Approve this plan?',
        options: [
          { key: 'y', label: 'yes' },
          { key: 'a', label: 'yes, and accept edits from now on', short: 'and edits', isLasting: true },
          { key: 'e', label: 'change it in an editor first', short: 'edit it' },
          { key: 'n', label: 'no, and say what to change', short: 'no', asks: 'what should be different' },
        ],
      },
    ],
    settle([given]) {
      const [key = 'n'] = given?.keys ?? [];
      if (key === 'e') return { kind: 'edit' };
      if (key === 'y') return answered({ behaviour: 'allow', scope: 'once', ...input });
      if (key === 'a') return answered({ behaviour: 'allow', scope: 'once', mode: 'acceptEdits', ...input });
      return answered(denial(given?.text ?? ''));
    },
  };
}
