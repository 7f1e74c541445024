import { join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { hashBytes } from '../lib/hash.ts';
import { openJsonlWriter } from '../lib/jsonl/jsonl.ts';
import type { Result } from '../lib/result.ts';
import { boundText } from '../lib/text/text.ts';
import type { AnsweredBy, AnswerScope, Decision, Question } from '../protocol/index.ts';
import type { Rule } from '../protocol/permission.ts';

/** Record of everything asked, answered, refused and granted, so it can be reviewed later. */
export interface Audit {
  write(entry: AuditBody): Result<void>;
}

export type AuditBody =
  | {
      type: 'question';
      questionId: string;
      agentId: string | null;
      agentType: string;
      tool: string;
      input: Record<string, unknown>;
      decision: AuditDecision;
      risk: Question['risk']['level'];
    }
  | {
      type: 'answer';
      questionId: string;
      behaviour: 'allow' | 'deny';
      by: AnsweredBy;
      reason?: string;
      /** The input that was allowed, where it differs from the one that was asked about. */
      changed?: Record<string, unknown>;
    }
  /** Decided by a rule, a role, the ceiling or a mode, without asking. */
  | {
      type: 'denial';
      agentId: string | null;
      tool: string;
      input: Record<string, unknown>;
      decision: AuditDecision;
    }
  /** A hook allowed it without asking, or answered the question. */
  | {
      type: 'skip';
      agentId: string | null;
      tool: string;
      input: Record<string, unknown>;
      decision: AuditDecision;
      /** The input that was allowed, where it differs. */
      changed?: Record<string, unknown>;
    }
  | {
      type: 'grant';
      questionId: string;
      agentId: string | null;
      scope: AnswerScope;
      change: string;
      /** The file it was written to, or why it was not. */
      file?: string;
      problem?: string;
    };

export type AuditDecision = Pick<Decision, 'by' | 'reason'> & { rule?: string };

export type AuditEntry = AuditBody & { at: string; sessionId: string; cwd: string };

export interface AuditOptions {
  home: string;
  sessionId: string;
  cwd: string;
  clock: Clock;
  /** Removes known secrets from text. */
  hide(text: string): string;
}

/** One append-only file per month for all sessions. It outlives the sessions it describes. */
export function openAudit(options: AuditOptions): Audit {
  const directory = auditDirectory(options.home);
  return {
    write(entry) {
      const made = ensurePrivateDirectory(directory);
      if (!made.ok) return made;
      const at = timestamp(options.clock);
      const writer = openJsonlWriter(join(directory, `${at.slice(0, 7)}.jsonl`), 'either');
      if (!writer.ok) return writer;
      const { sessionId, cwd } = options;
      const written = writer.value.append(
        bounded(hideStrings({ at, sessionId, cwd, ...entry }, options.hide)),
      );
      writer.value.close();
      return written;
    },
  };
}

export function auditDirectory(home: string): string {
  return join(home, 'audit');
}

export function auditDecision({ by, reason, rule }: Decision, format: (rule: Rule) => string): AuditDecision {
  return { by, reason, ...(rule ? { rule: `${format(rule)} (${rule.layer}: ${rule.source})` } : {}) };
}

const maxTextLength = 2_000;

/** Secrets are already removed here: a truncated one would not be found. A long input is identified by its hash. */
function bounded(entry: AuditEntry): object {
  if (entry.type === 'answer' && entry.changed) return { ...entry, changed: boundedInput(entry.changed) };
  if (!('input' in entry)) return entry;
  const text = JSON.stringify(entry.input);
  const input = boundedInput(entry.input);
  return text.length <= maxTextLength ? entry : { ...entry, input, inputHash: hashBytes(text) };
}

function boundedInput(input: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(input).slice(0, 50);
  return Object.fromEntries(
    fields.map(([key, value]) => [
      boundText(key, 100),
      typeof value === 'string' || typeof value === 'object'
        ? boundText(typeof value === 'string' ? value : JSON.stringify(value), maxTextLength)
        : value,
    ]),
  );
}

function hideStrings<T>(value: T, hide: (text: string) => string): T {
  const map = (part: unknown): unknown => {
    if (typeof part === 'string') return hide(part);
    if (Array.isArray(part)) return part.map(map);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [hide(key), map(inner)]));
  };
  return map(value) as T;
}
