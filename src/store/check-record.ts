import { efforts } from '../protocol/effort.ts';
import { permissionModes } from '../protocol/permission.ts';
import { type TranscriptRecord, transcriptFormat } from '../protocol/record.ts';

export type CheckedRecord =
  | { kind: 'good'; record: TranscriptRecord }
  | { kind: 'unknown' }
  | { kind: 'bad'; reason: string };

type Fields = Record<string, unknown>;

/**
 * Checks by hand whether a parsed line has the shape that resuming relies on: a long transcript is read before the first
 * request.
 */
export function checkRecord(found: Fields): CheckedRecord {
  const problem = findProblem(found);
  if (problem === 'unknown') return { kind: 'unknown' };
  if (problem)
    return {
      kind: 'bad',
      reason: `a record of type ${String(found.type)} with a missing or invalid ${problem}`,
    };
  return { kind: 'good', record: found as unknown as TranscriptRecord };
}

/** The first invalid field. */
function findProblem(record: Fields): string | undefined {
  switch (record.type) {
    case 'user':
    case 'assistant':
      return messageProblem(record, record.type);
    case 'cadre-transcript':
      if (typeof record.format !== 'number') return 'format';
      // A newer record may have other fields; it is refused for its format number, not for them.
      if (record.format > transcriptFormat) return undefined;
      return missingText(record, ['sessionId', 'cwd', 'createdAt']);
    case 'session-state':
      if (!permissionModes.some((mode) => mode === record.permissionMode)) return 'permissionMode';
      if (record.effort !== undefined && !efforts.some((one) => one === record.effort)) return 'effort';
      if (record.suspended !== undefined && !isSuspension(record.suspended)) return 'suspended';
      if ([record.maxBudgetUsd, record.maxTokens].some((cap) => cap !== undefined && !isPositive(cap)))
        return 'maxBudgetUsd or maxTokens';
      return missingText(record, ['timestamp', 'model', 'cwd']);
    case 'file-history':
      if (record.before !== null && typeof record.before !== 'string') return 'before';
      if (record.after !== undefined && record.after !== null && typeof record.after !== 'string')
        return 'after';
      if ([record.mode, record.modeAfter].some((mode) => mode !== undefined && !Number.isInteger(mode)))
        return 'mode';
      if (record.changedAt !== undefined && typeof record.changedAt !== 'string') return 'changedAt';
      if (record.isFromGit !== undefined && record.isFromGit !== true) return 'isFromGit';
      return missingText(record, ['timestamp', 'toolUseId', 'path']);
    case 'command-files':
      if (!Number.isInteger(record.files)) return 'files';
      if (record.uncovered !== undefined && !isTextList(record.uncovered)) return 'uncovered';
      if (record.unseen !== undefined && typeof record.unseen !== 'string') return 'unseen';
      if (record.lost !== undefined && !isTextList(record.lost)) return 'lost';
      if (record.repaired !== undefined && !isTextList(record.repaired)) return 'repaired';
      if (record.references !== undefined && !isReferenceList(record.references)) return 'references';
      if (record.unstaged !== undefined && !isUnstagedList(record.unstaged)) return 'unstaged';
      if (record.operations !== undefined && !isOperationList(record.operations)) return 'operations';
      if (record.gitObjects !== undefined && !isGitObjectList(record.gitObjects)) return 'gitObjects';
      return missingText(record, ['timestamp', 'toolUseId']);
    case 'files-touched':
      if (!Array.isArray(record.files)) return 'files';
      return missingText(record, ['timestamp', 'toolUseId']);
    case 'rewind':
      if (record.head !== undefined && record.head !== null && typeof record.head !== 'string') return 'head';
      return missingText(record, ['uuid', 'timestamp', 'to']);
    case 'custom-title':
      return missingText(record, ['customTitle']);
    case 'compact-boundary':
      if (!isTextList(record.keptUuids)) return 'keptUuids';
      return missingText(record, ['timestamp', 'sessionId', 'summaryUuid']);
    case 'task-state':
      if (!isObject(record.task)) return 'task';
      if (record.task.suspended !== undefined && !isSuspension(record.task.suspended))
        return 'task.suspended';
      return missingText(record.task, ['id', 'runId', 'kind', 'status', 'description', 'outputFile']);
    case 'agent-state':
      if (!isTextList(record.tools)) return 'tools';
      return missingText(record, ['agentId', 'agentType', 'source', 'model', 'cwd', 'toolUseId']);
    case 'epoch':
      if (!Number.isSafeInteger(record.epoch)) return 'epoch';
      return missingText(record, ['timestamp']);
    case 'call-begun':
      if (record.effect !== 'repeatable' && record.effect !== 'unsafe') return 'effect';
      return missingText(record, ['toolUseId']);
    case 'moved':
      if (
        record.to !== null &&
        !(isObject(record.to) && missingText(record.to, ['jobId', 'engine', 'name']) === undefined)
      )
        return 'to';
      if (
        !Array.isArray(record.prompts) ||
        !record.prompts.every((one) => isObject(one) && isMovedPrompt(one))
      )
        return 'prompts';
      return missingText(record, ['timestamp']);
    case 'report':
      if (!isObject(record.report) || !Array.isArray(record.report.claims)) return 'report';
      return missingText(record, ['timestamp', 'toolUseId', 'cwd']);
    case 'letter-over':
      if (!isTextList(record.messageUuids)) return 'messageUuids';
      return missingText(record, ['timestamp']);
    case 'letter':
      if (
        !Array.isArray(record.content) ||
        !record.content.every((block) => isObject(block) && isBlock(block))
      )
        return 'content';
      if (!isObject(record.origin)) return 'origin';
      return missingText(record, ['timestamp', 'sessionId', 'messageUuid']);
    default:
      return 'unknown';
  }
}

function messageProblem(record: Fields, role: 'user' | 'assistant'): string | undefined {
  const { message } = record;
  if (record.parentUuid !== null && typeof record.parentUuid !== 'string') return 'parentUuid';
  if (!isObject(message) || message.role !== role || !Array.isArray(message.content)) return 'message';
  if (!message.content.every((block) => isObject(block) && isBlock(block))) return 'message content';
  if (role === 'user' && !(isObject(record.origin) && isOrigin(record.origin))) return 'origin';
  if (
    role === 'assistant' &&
    (!isObject(message.usage) || missingText(message, ['id', 'model', 'stop_reason']))
  ) {
    return 'message';
  }
  return missingText(record, ['uuid', 'sessionId', 'timestamp']);
}

function isMovedPrompt({ content, delivery }: Fields): boolean {
  const isDelivery = delivery === 'steer' || delivery === 'queue';
  return isDelivery && Array.isArray(content) && content.every((block) => isObject(block) && isBlock(block));
}

function isOrigin({ kind, carried }: Fields): boolean {
  if (kind !== 'compaction') return true;
  if (!isObject(carried) || !isTextList(carried.prompts)) return false;
  const { todos, files } = carried;
  return (
    Array.isArray(todos) &&
    todos.every((item) => isObject(item) && missingText(item, ['content', 'status']) === undefined) &&
    Array.isArray(files) &&
    files.every((file) => isObject(file) && missingText(file, ['path']) === undefined)
  );
}

function isBlock(block: Fields): boolean {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string';
    case 'thinking':
      return typeof block.thinking === 'string';
    case 'redacted_thinking':
      return typeof block.data === 'string';
    case 'image':
    case 'document':
      return isObject(block.source);
    case 'tool_use':
      return typeof block.id === 'string' && typeof block.name === 'string' && isObject(block.input);
    case 'tool_result':
      return typeof block.tool_use_id === 'string' && Array.isArray(block.content);
    default:
      return false;
  }
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

function isSuspension(value: unknown): boolean {
  if (!isObject(value) || typeof value.until !== 'number') return false;
  return missingText(value, ['model', 'reason']) === undefined;
}

function missingText(record: Fields, names: string[]): string | undefined {
  return names.find((name) => typeof record[name] !== 'string');
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isReferenceList(value: unknown): boolean {
  const isPlace = (place: unknown) => place === null || typeof place === 'string';
  return (
    Array.isArray(value) &&
    value.every(
      (one) =>
        isObject(one) &&
        missingText(one, ['root', 'name']) === undefined &&
        isPlace(one.before) &&
        isPlace(one.after),
    )
  );
}

function isUnstagedList(value: unknown): boolean {
  return isListOf(value, ['root', 'path', 'id'], ({ mode }) => Number.isInteger(mode));
}

function isOperationList(value: unknown): boolean {
  return isListOf(value, ['root', 'kind'], ({ copy }) => copy === null || typeof copy === 'string');
}

function isGitObjectList(value: unknown): boolean {
  return isListOf(value, ['root'], ({ ids }) => isTextList(ids));
}

function isListOf(
  value: unknown,
  texts: string[],
  isFine: (one: Record<string, unknown>) => boolean,
): boolean {
  const isOne = (one: unknown) => isObject(one) && missingText(one, texts) === undefined && isFine(one);
  return Array.isArray(value) && value.every(isOne);
}
