import { isRecord } from '../lib/fields/field-values.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { agents } from '../settings/table/agents.ts';
import { checkTable } from '../settings/table/merging.ts';
import type { SessionOptions } from './options.ts';

type Kind = keyof typeof words;

/** Several kinds, or an object that has these fields: an implementation of one of our ports. */
export type WantedValue = Kind | readonly Kind[] | { readonly having: readonly string[] };

const words = {
  text: 'a string',
  texts: 'a list of strings',
  object: 'an object',
  objects: 'a list of objects',
  flag: 'true or false',
  yes: 'true',
  number: 'a number',
  function: 'a function',
  messages: 'a list of messages (objects with role and content)',
  resume: "{ from: 'latest' } or { from: 'id', id }",
  budget: '{ usd, tokens }, each a number',
  model: 'a model (an object with id, facts and stream)',
} as const;

const modelFields = ['id', 'facts', 'stream'];

/** Every option is here: a new one does not compile without. What a value means is checked later. */
const wanted: Readonly<Record<keyof SessionOptions, WantedValue>> = {
  cwd: 'text',
  worktree: ['text', 'yes'],
  environment: 'object',
  additionalDirectories: 'texts',
  clock: { having: ['now', 'monotonic', 'after'] },
  ids: { having: ['uuid', 'token'] },
  machine: { having: ['disk', 'ids', 'self', 'isAlive', 'locality'] },
  ripgrep: 'object',
  holder: 'object',
  journalCopy: 'function',
  model: ['text', 'model'],
  thinking: 'object',
  fallbackModel: 'text',
  wait: 'text',
  systemPrompt: 'text',
  appendSystemPrompt: 'text',
  outputSchema: 'object',
  maxTurns: 'number',
  maxBudgetUsd: 'number',
  maxTokens: 'number',
  agents: 'object',
  agentsFlag: 'text',
  agent: 'text',
  coordinator: 'flag',
  teammateMode: 'text',
  teamMember: 'text',
  teamPart: { having: ['grants', 'account'] },
  onTeamEnd: 'function',
  engine: ['text', 'flag', 'object'],
  remote: 'flag',
  agentLimits: 'object',
  streamAgents: 'flag',
  features: 'objects',
  hooks: 'object',
  skills: 'texts',
  disableSlashCommands: 'flag',
  commandSources: 'objects',
  pluginDirectories: 'texts',
  mcpServers: 'object',
  mcpConfig: 'texts',
  strictMcpConfig: 'flag',
  hostServers: { having: ['names', 'send', 'listen'] },
  tools: 'texts',
  ownTools: 'objects',
  allowedTools: 'texts',
  disallowedTools: 'texts',
  permissionMode: 'text',
  planModeInstructions: 'text',
  allowBypass: 'flag',
  interactive: 'flag',
  oneShot: 'flag',
  onQuestion: 'function',
  attended: 'flag',
  answersElicitations: 'flag',
  approvals: 'object',
  judge: { having: ['judge'] },
  sandbox: 'flag',
  settings: 'text',
  settingSources: 'texts',
  trust: 'flag',
  inherited: 'messages',
  resume: 'resume',
  fork: 'flag',
  sessionId: 'text',
  title: 'text',
  persist: 'flag',
  record: 'text',
  replay: 'text',
  byHand: 'flag',
};

/** Programs without types may pass anything; a wrong type is a problem with the option's name, not an exception. */
export function checkOptionKinds(options: unknown): Result<void> {
  if (typeof options !== 'object' || options === null) return usage('options: expected an object.');
  const kinds = checkKinds(options, wanted);
  return kinds.ok ? checkLimits(Reflect.get(options, 'agentLimits')) : kinds;
}

export function checkKinds(options: object, wanted: Readonly<Record<string, WantedValue>>): Result<void> {
  for (const [name, kind] of Object.entries(wanted)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !isWanted(value, kind))
      return usage(`The option ${name}: expected ${describeWanted(kind)}.`);
  }
  return ok(undefined);
}

/** As in a settings file: a limit that is not one would be no limit. */
function checkLimits(limits: unknown = {}): Result<void> {
  const read = checkTable(agents.section).safeParse(limits);
  if (read.success) return ok(undefined);
  const [issue] = read.error.issues;
  return usage(`The option agentLimits.${issue?.path.map(String).join('.')}: ${issue?.message}.`);
}

function isWanted(value: unknown, kind: WantedValue): boolean {
  if (typeof kind === 'string') return isOfKind(value, kind);
  return 'having' in kind ? hasFields(value, kind.having) : kind.some((one) => isOfKind(value, one));
}

function describeWanted(kind: WantedValue): string {
  if (typeof kind === 'string') return words[kind];
  return 'having' in kind
    ? `an object with ${kind.having.join(', ')}`
    : kind.map((one) => words[one]).join(', or ');
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'objects':
      return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
    case 'flag':
      return typeof value === 'boolean';
    case 'yes':
      return value === true;
    case 'number':
      return Number.isFinite(value);
    case 'function':
      return typeof value === 'function';
    case 'messages':
      return Array.isArray(value) && value.every(isMessage);
    case 'resume':
      return (
        isRecord(value) && (value.from === 'latest' || (value.from === 'id' && isOfKind(value.id, 'text')))
      );
    case 'budget':
      return isRecord(value) && Object.entries(value).every(isBudgetEntry);
    case 'model':
      return hasFields(value, modelFields);
  }
}

function isMessage(value: unknown): boolean {
  return isRecord(value) && isOfKind(value.role, 'text') && isOfKind(value.content, 'objects');
}

/** Another key would be a limit that limits nothing. */
function isBudgetEntry([name, value]: [string, unknown]): boolean {
  return (name === 'usd' || name === 'tokens') && (value === undefined || isOfKind(value, 'number'));
}

function hasFields(value: unknown, fields: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && fields.every((field) => field in value);
}
