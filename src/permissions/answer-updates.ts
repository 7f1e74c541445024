import type { Answer, AnswerScope, PermissionUpdate, Question, Rule } from '../protocol/index.ts';
import type { UpdateDestination } from '../protocol/permission.ts';
import { formatRule } from '../settings/rules.ts';

/**
 * Everything that an answer changes besides the call itself. With a scope but no rules, the suggested ones are used.
 */
export function listUpdates(
  answer: Extract<Answer, { behaviour: 'allow' }>,
  question: Pick<Question, 'suggestions'>,
): PermissionUpdate[] {
  const { rules = [], scope, mode, updates = [] } = answer;
  const granted = rules.length === 0 && scope !== undefined ? question.suggestions : rules;
  const destination = chooseDestination(answer);
  return [
    ...(destination ? byBehaviour(granted, destination) : []),
    ...(mode ? [{ type: 'set_mode' as const, mode, destination: 'session' as const }] : []),
    ...updates,
  ];
}

export function chooseScope({ destination }: PermissionUpdate): AnswerScope {
  return destination === 'agent' || destination === 'session' ? destination : 'saved';
}

export function describeUpdate(update: PermissionUpdate): string {
  switch (update.type) {
    case 'set_mode':
      return `mode ${update.mode}`;
    case 'add_directories':
      return `add to workspace: ${update.directories.join(', ')}`;
    case 'remove_directories':
      return `remove from workspace: ${update.directories.join(', ')}`;
    default:
      return `${verbs[update.type]} ${update.rules.map(described).join(', ') || 'nothing'}`;
  }
}

const verbs = { add_rules: 'add', remove_rules: 'remove', replace_rules: 'only' } as const;

function described(rule: Rule): string {
  return `${rule.behaviour} ${formatRule(rule)}`;
}

function chooseDestination(answer: Extract<Answer, { behaviour: 'allow' }>): UpdateDestination | undefined {
  switch (answer.scope ?? 'session') {
    case 'once':
      return undefined;
    case 'agent':
      return 'agent';
    case 'session':
      return 'session';
    case 'saved':
      return answer.destination ?? 'local';
  }
}

/** A settings file keeps a separate list for each behaviour. */
function byBehaviour(rules: readonly Rule[], destination: UpdateDestination): PermissionUpdate[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((behaviour) => {
    const some = rules.filter((rule) => rule.behaviour === behaviour);
    return some.length > 0 ? [{ type: 'add_rules' as const, rules: some, destination }] : [];
  });
}
