import { isRecord } from '../lib/fields/field-values.ts';
import { boundText } from '../lib/text/text.ts';
import type { HookEvent } from '../protocol/index.ts';
import { maxCharacters } from './hook-run.ts';
import { readAnswer } from './read-answer.ts';
import type { HookDecision, HookWord } from './word.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON that a hook may answer with, in the form that other products know. Fields without meaning at this event are
 * ignored.
 */
export function readJson(event: HookEvent, json: Json): HookWord {
  if (json.async === true) return {};
  const reason = readBoundedString(json.reason);
  const message = readBoundedString(json.systemMessage);
  const word: HookWord = {
    message,
    isQuiet: json.suppressOutput === true || undefined,
    stop:
      json.continue === false ? (readBoundedString(json.stopReason) ?? 'A hook ended the run.') : undefined,
  };
  if (json.decision === 'block') Object.assign(word, buildBlock(event, reason ?? 'A hook blocked it.'));
  if (json.decision === 'approve' && event === 'PreToolUse')
    Object.assign(word, { decision: 'allow', reason });
  return { ...word, ...readSpecific(event, json.hookSpecificOutput) };
}

/** Why it must not happen, in the form of each event. */
export function buildBlock(event: HookEvent, reason: string): HookWord {
  if (event === 'PreToolUse') return { decision: 'deny', reason };
  if (event === 'PermissionRequest') return { answer: { behaviour: 'deny', message: reason } };
  return { block: reason };
}

function readSpecific(event: HookEvent, specific: unknown): HookWord {
  if (specific === undefined || specific === null) return {};
  if (!isRecord(specific)) return { problem: 'hookSpecificOutput: expected an object' };
  const { hookEventName = event } = specific;
  // An agent file's Stop is run as SubagentStop; its hook need not know.
  const isSame = hookEventName === event || (event === 'SubagentStop' && hookEventName === 'Stop');
  if (!isSame) return { problem: `hookSpecificOutput is for ${JSON.stringify(hookEventName)}, not ${event}` };
  const context = readBoundedString(specific.additionalContext);
  return { context, ...readOwn(event, specific) };
}

function readOwn(event: HookEvent, specific: Json): HookWord {
  if (event === 'PreToolUse') return readDecision(specific);
  if (event === 'PermissionRequest') return readAnswer(specific.decision);
  if (event !== 'PostToolUse') return {};
  return { toolOutput: specific.updatedToolOutput ?? specific.updatedMCPToolOutput };
}

const decisions: readonly HookDecision[] = ['allow', 'ask', 'defer', 'deny'];

function readDecision({ permissionDecision, permissionDecisionReason, updatedInput }: Json): HookWord {
  const reason = readBoundedString(permissionDecisionReason);
  const word: HookWord = reason === undefined ? {} : { reason };
  if (updatedInput !== undefined && !isRecord(updatedInput))
    return { ...word, decision: 'ask', problem: 'updatedInput: expected an object' };
  if (updatedInput) word.input = { ...updatedInput };
  if (permissionDecision === undefined) return word;
  const decision = decisions.find((known) => known === permissionDecision);
  if (decision) return { ...word, decision };
  // The hook wanted to decide, and may have meant no.
  return { ...word, decision: 'ask', problem: `permissionDecision: expected one of ${decisions.join(', ')}` };
}

/** Text of a hook, bounded; undefined for any other value. */
function readBoundedString(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? boundText(value, maxCharacters) : undefined;
}
