import { ask, nameRule } from '../../places/reasons.ts';
import type { Call, Ceiling } from '../../places/types.ts';
import type { Access, Decision, PermissionMode, Rule } from '../../protocol/permission.ts';
import type { ChangesBefore } from '../walk/file-order.ts';
import type { JudgedCommand, ShellAccess } from '../walk/script.ts';

export type Watch = (findings: readonly Finding[]) => void;

export interface ShellCase {
  readonly watch?: Watch;
  readonly access: ShellAccess;
  readonly ceiling: Ceiling;
  readonly mode: PermissionMode;
  /** Without those that this ceiling removes. */
  readonly rules: readonly Rule[];
  readonly call: Call;
  /** The rule that allows the command as a whole. */
  readonly whole: Rule | undefined;
  /** It would run in a sandbox that makes up for what is unknown about it. */
  readonly confined?: boolean;
  /** It would run in a sandbox, where a grant lets it write nothing that the ceiling refuses. */
  readonly inside?: boolean;
  /** The decision about one path, as for a tool that is made for it. */
  judgePath(tool: string, access: Access): Decision;
}

/** A part of a script with the decision about it. */
export interface Finding {
  readonly command: JudgedCommand | undefined;
  readonly decision: Decision;
}

/** A case with intermediate findings. */
export interface OpenCase extends ShellCase {
  readonly refusing: readonly Rule[];
  readonly known: Map<string, Decision>;
  /** How files may have changed when a part runs. */
  readonly before: ChangesBefore;
}

/** A grant for a command does not answer this. */
export function isFirm({ behaviour, by }: Decision): boolean {
  return behaviour === 'deny' || by === 'protected-path' || by === 'rule';
}

/**
 * The reach of a command's own grant: nothing, everything about its program but not its files, or everything, as a rule with
 * the exact words of the command and one for all commands do.
 */
export type GrantCover = 'nothing' | 'program' | 'everything';

/**
 * A question that a rule for a program does not answer. In the sandbox protected files are read-only, whatever the text says.
 */
export function askUntold({ inside }: ShellCase, reason: string): Decision {
  return ask(inside ? 'workspace' : 'protected-path', `the rule allows the program, but ${reason}`);
}

export function skipsQuestions({ mode, ceiling }: ShellCase): boolean {
  return mode === 'bypassPermissions' && ceiling.shell !== 'ask';
}

export function mayMeetRule(rule: Rule): Decision {
  return { ...ask('rule', `it may reach files that ${nameRule(rule)} covers`), rule };
}

/** A long script repeats the same few paths. */
export function openCase(given: ShellCase, before: ChangesBefore): OpenCase {
  const known = new Map<string, Decision>();
  const judgePath: ShellCase['judgePath'] = (tool, access) => {
    const key = 'path' in access ? `${tool}\0${access.path}` : '';
    const decision = known.get(key) ?? given.judgePath(tool, access);
    if (key !== '') known.set(key, decision);
    return decision;
  };
  return { ...given, judgePath, refusing: refusingRules(given), known: new Map(), before };
}

function refusingRules({ rules, ceiling }: ShellCase): Rule[] {
  const denied = ceiling.denied.map((rule) => ({ ...rule, behaviour: 'deny' as const }));
  return [...denied, ...rules.filter((rule) => rule.behaviour !== 'allow')];
}

export function askAbout({ ceiling }: ShellCase, reason: string): Decision {
  return ceiling.shell === 'ask'
    ? ask('ceiling', `plan mode asks before every command that may change something: ${reason}`)
    : ask('default', `${reason}, and no rule allows this command`);
}
