import type { Access, Decision, PermissionMode, Rule } from '../../protocol/permission.ts';
import { ask, nameRule } from '../reasons.ts';
import type { Call, Ceiling } from '../types.ts';
import type { JudgedCommand, ShellAccess } from './script.ts';

export type Watch = (findings: readonly Finding[]) => void;

export interface ShellCase {
  readonly watch?: Watch;
  readonly access: ShellAccess;
  readonly ceiling: Ceiling;
  readonly mode: PermissionMode;
  /** Without those that this ceiling takes away. */
  readonly rules: readonly Rule[];
  readonly call: Call;
  /** The rule that allows the command as a whole. */
  readonly whole: Rule | undefined;
  /** It would run in a sandbox that makes up for what is not known of it. */
  readonly confined?: boolean;
  /** It would run in a sandbox, where a grant lets it write nothing that the ceiling keeps. */
  readonly inside?: boolean;
  /** The judgement of one path, as of a tool that is made for it. */
  judgePath(tool: string, access: Access): Decision;
}

/** A part of a script with what was found about it. */
export interface Finding {
  readonly command: JudgedCommand | undefined;
  readonly decision: Decision;
}

/** A case with what was found out on the way. */
export interface OpenCase extends ShellCase {
  readonly refusing: readonly Rule[];
  readonly known: Map<string, Decision>;
}

/** A grant to a command does not answer this. */
export function isFirm({ behaviour, by }: Decision): boolean {
  return behaviour === 'deny' || by === 'protected-path' || by === 'rule';
}

export function skipsQuestions({ mode, ceiling }: ShellCase): boolean {
  return mode === 'bypassPermissions' && ceiling.shell !== 'ask';
}

export function mayMeetRule(rule: Rule): Decision {
  return { ...ask('rule', `it may come across what ${nameRule(rule)} is about`), rule };
}
