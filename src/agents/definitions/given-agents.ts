import { resolve } from 'node:path';
import { maxTextSize } from '../../lib/frontmatter/frontmatter.ts';
import { parseJson } from '../../settings/json.ts';
import { readSmallText, statQuietly } from '../../workspace/find-markdown.ts';
import { resolveOwnPath } from '../../workspace/real-path.ts';
import type { AgentSource, ReadAgents } from '../definition.ts';
import { readDefinition } from './read-definition.ts';

/** Definitions by name, from a flag or a program: the fields of a file, plus the prompt. */
export type GivenAgents = Readonly<Record<string, GivenAgent>>;

export interface GivenAgent {
  readonly description: string;
  readonly prompt: string;
  readonly tools?: string | readonly string[];
  readonly disallowedTools?: string | readonly string[];
  readonly model?: string;
  /** All other fields of a definition. */
  readonly [field: string]: unknown;
}

/** `--agents`: JSON that begins with `{`, or the path of a file. */
export function readFlagAgents(value: string, cwd: string): ReadAgents {
  const flag = '--agents';
  const isText = value.trimStart().startsWith('{');
  const file = isText ? flag : resolve(cwd, value);
  const refuse = (reason: string, line?: number): ReadAgents => ({
    definitions: [],
    broken: [{ file, reason, source: 'cli', flag, ...(line === undefined ? {} : { line }) }],
  });
  const text = isText ? { ok: true as const, value } : readFlagFile(file);
  if (!text.ok) return refuse(text.problem);
  const json = parseJson(text.value);
  if (!json.ok) return refuse(`not valid JSON: expected ${json.problem.expected}`, json.problem.line);
  return readGivenAgents(json.value, { source: 'cli', file, flag });
}

function readFlagFile(file: string): ReturnType<typeof readSmallText> {
  const entry = statQuietly(file);
  if (!entry?.isFile())
    return {
      ok: false,
      problem: `${entry ? 'not a file' : 'no such file'}; expected JSON that begins with {, or the path of a file with such JSON`,
    };
  return readSmallText(resolveOwnPath(file), maxTextSize);
}

export function readGivenAgents(
  value: unknown,
  origin: { source: AgentSource; file: string; flag?: string },
): ReadAgents {
  const read: ReadAgents = { definitions: [], broken: [] };
  if (!isRecord(value)) {
    read.broken.push({ ...origin, reason: 'expected an object of agents by name' });
    return read;
  }
  for (const [name, fields] of Object.entries(value)) {
    const definition = isRecord(fields)
      ? readDefinition({ ...fields, name }, { source: origin.source })
      : { ok: false as const, problem: { reason: 'expected an object with description and prompt' } };
    if (definition.ok) read.definitions.push(definition.value);
    else
      read.broken.push({
        ...origin,
        reason: `${JSON.stringify(name.slice(0, 80))}: ${definition.problem.reason}`,
      });
  }
  return read;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
