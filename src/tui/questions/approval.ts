import type { Answer, Question } from '../../protocol/index.ts';
import { showLine } from '../text/index.ts';
import { answered, denial, type Form, type Option } from './field.ts';
import { formatRules, isShort, longRules } from './question-lines.ts';

/** May this call run? The answers are those of the queue, from this one call to a saved rule. */
export function approvalForm(question: Question): Form {
  return {
    question,
    fields: [{ title: '', options: buildOptions(question) }],
    // Return alone must not approve something harmful.
    ...(question.risk.level === 'high' ? { startsOn: 'n' } : {}),
    settle([given]) {
      const [key = 'n'] = given?.keys ?? [];
      return answered(key === 'n' ? denial(given?.text ?? '') : allow(key, question));
    },
  };
}

/** A dream's proposal: it is accepted as shown, or dropped. */
export function notesForm(question: Question): Form {
  return {
    question,
    fields: [
      {
        title: 'Make these changes in the memory file?',
        options: [
          { key: 'y', label: 'accept' },
          { key: 'n', label: 'reject, and say why', asks: 'why (optional)' },
        ],
      },
    ],
    settle([given]) {
      const isYes = given?.keys[0] === 'y';
      return answered(isYes ? { behaviour: 'allow', scope: 'once' } : denial(given?.text ?? ''));
    },
  };
}

function buildOptions(question: Question): Option[] {
  const { suggestions, allows, refuses } = question;
  const rules = formatRules(question).join(', ');
  const isTold = longRules(question).length > 0;
  const outside = question.input.dangerouslyDisableSandbox === true ? ', outside the sandbox' : '';
  const rule =
    (isShort(rules) ? showLine(rules) : isTold ? 'the rule above' : 'exactly this command') + outside;
  const lasting: Option[] = [
    { key: 'a', label: `always, for this agent: ${rule}`, short: 'this agent', isLasting: true },
    { key: 's', label: 'always, in this session', grants: rule, short: 'session', isLasting: true },
    { key: 'r', label: 'always, in this repository', grants: rule, short: 'repository', isLasting: true },
    { key: 'u', label: 'always, in all projects', grants: rule, short: 'all projects', isLasting: true },
  ];
  return [
    allows === undefined
      ? { key: 'y', label: 'yes' }
      : { key: 'y', label: isShort(allows) ? showLine(`yes, ${allows}`) : 'yes', short: 'yes' },
    ...(suggestions.length > 0 ? lasting : []),
    refuses === undefined
      ? { key: 'n', label: 'no, and say why', short: 'no', asks: 'why (optional)' }
      : { key: 'n', label: showLine(`no, ${refuses}`), short: 'no' },
  ];
}

function allow(key: string, { suggestions: rules }: Question): Answer {
  if (key === 'a') return { behaviour: 'allow', scope: 'agent', rules };
  if (key === 's') return { behaviour: 'allow', scope: 'session', rules };
  if (key === 'r') return { behaviour: 'allow', scope: 'saved', destination: 'local', rules };
  if (key === 'u') return { behaviour: 'allow', scope: 'saved', destination: 'user', rules };
  return { behaviour: 'allow', scope: 'once' };
}
