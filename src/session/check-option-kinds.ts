import { ok, type Result, usage } from '../lib/result.ts';
import type { SessionOptions } from './options.ts';

type Kind = 'text' | 'texts' | 'object' | 'objects' | 'flag' | 'number' | 'function';

/** The options that are taken apart before they are checked by their meaning. */
const kinds: Readonly<Partial<Record<keyof SessionOptions, Kind>>> = {
  cwd: 'text',
  environment: 'object',
  additionalDirectories: 'texts',
  systemPrompt: 'text',
  appendSystemPrompt: 'text',
  fallbackModel: 'text',
  maxTurns: 'number',
  maxBudgetUsd: 'number',
  maxTokens: 'number',
  agents: 'object',
  agentsFlag: 'text',
  agent: 'text',
  coordinator: 'flag',
  agentLimits: 'object',
  features: 'objects',
  hooks: 'object',
  skills: 'texts',
  pluginDirectories: 'texts',
  mcpServers: 'object',
  mcpConfig: 'texts',
  tools: 'texts',
  ownTools: 'objects',
  allowedTools: 'texts',
  disallowedTools: 'texts',
  onQuestion: 'function',
  settings: 'text',
  settingSources: 'texts',
  inherited: 'objects',
  resume: 'object',
  sessionId: 'text',
  title: 'text',
  record: 'text',
  replay: 'text',
};

const words: Readonly<Record<Kind, string>> = {
  text: 'text',
  texts: 'a list of texts',
  object: 'an object',
  objects: 'a list of objects',
  flag: 'true or false',
  number: 'a number',
  function: 'a function',
};

/** Programs without types may pass anything; a wrong type is a problem with the option's name, not an exception. */
export function checkOptionKinds(options: unknown): Result<void> {
  if (typeof options !== 'object' || options === null) return usage('options: expected an object.');
  for (const [name, kind] of Object.entries(kinds)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !isOfKind(value, kind))
      return usage(`The option ${name}: expected ${words[kind]}.`);
  }
  return ok(undefined);
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
    case 'number':
      return typeof value === 'number';
    case 'function':
      return typeof value === 'function';
  }
}
