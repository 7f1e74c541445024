import { isRecord } from '../lib/fields/field-values.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { findSchemaFault, type JsonSchema } from '../tools/structured-output/synthetic-output-schema.ts';
import { validateJson } from '../tools/structured-output/synthetic-output-validate.ts';
import { NotLiteral, readLiteral } from './read-literal.ts';

/** What a script says of itself in `export const meta`. */
export interface ScriptMeta {
  name: string;
  description: string;
  phases: readonly string[];
  /** JSON Schema of `args`. */
  args?: JsonSchema | undefined;
}

/** A workflow script as it was read. Nothing of it has run. */
export interface WorkflowScript {
  meta: ScriptMeta;
  file: string;
  source: string;
  /** The source without `export`, for the inside of a function. Lines keep their numbers. */
  body: string;
  isTyped: boolean;
}

/** Words of `cadre run` that name something else. */
export const reservedNames: readonly string[] = ['chain', 'parallel', 'branch'];

const nameForm = /^[a-z0-9][a-z0-9_-]{0,63}$/i;
const metaStart = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(export\s+)const\s+meta\s*(?::[^={]*)?=/;
const maxDescription = 1_000;

/** Reads a script's `meta` without running anything. */
export function readScript(file: string, source: string): Result<WorkflowScript> {
  const start = metaStart.exec(source);
  if (!start)
    return refuse(file, 1, 'expected `export const meta = { name: …, description: … }` at the start');
  const [whole, exported = ''] = start;
  try {
    const { value } = readLiteral(source, whole.length);
    const meta = checkMeta(value);
    if (!meta.ok) return refuse(file, countLines(whole), `meta: ${meta.problem.message}`);
    const at = whole.indexOf(exported, whole.lastIndexOf('export'));
    const body = source.slice(0, at) + ' '.repeat(exported.length) + source.slice(at + exported.length);
    return ok({ meta: meta.value, file, source, body, isTyped: /\.[cm]?ts$/i.test(file) });
  } catch (error) {
    if (!(error instanceof NotLiteral)) throw error;
    return refuse(
      file,
      error.line,
      `meta: expected a literal, since it is read and not run: ${error.message}`,
    );
  }
}

function checkMeta(value: unknown): Result<ScriptMeta> {
  if (!isRecord(value)) return usage('expected an object.');
  const { name, description, phases = [], args } = value;
  if (typeof name !== 'string' || !nameForm.test(name))
    return usage('name: expected letters, digits, "-" and "_", at most 64.');
  if (reservedNames.includes(name.toLowerCase()))
    return usage(`name: ${name} is a word of \`cadre run\`. Choose another name.`);
  if (typeof description !== 'string' || description.trim() === '')
    return usage('description: expected text.');
  const named = Array.isArray(phases) ? phases.map(readPhase) : [undefined];
  if (named.includes(undefined)) return usage('phases: expected a list of names, or of { title, detail }.');
  const fault = args === undefined ? undefined : findArgsFault(args);
  if (fault !== undefined) return usage(`args: expected a JSON schema: ${fault}.`);
  return ok({
    name,
    description: visibleLine(description, maxDescription),
    phases: named.filter((phase) => phase !== undefined),
    ...(args === undefined ? {} : { args: args as JsonSchema }),
  });
}

function readPhase(phase: unknown): string | undefined {
  const title = isRecord(phase) ? (phase.title ?? phase.name) : phase;
  return typeof title === 'string' && title.trim() !== '' ? visibleLine(title, 80) : undefined;
}

/** Unlike the schema of an answer, this may be one of text or of a list. */
function findArgsFault(args: unknown): string | undefined {
  if (!isRecord(args)) return 'expected an object';
  return findSchemaFault({ type: 'object', properties: { args } })?.replaceAll('#/properties/args', '#');
}

/** Checked before anything starts: text that is taken for a list would be gone through by letters. */
export function checkArgs(
  { meta, file }: Pick<WorkflowScript, 'meta' | 'file'>,
  args: unknown,
): Result<unknown> {
  if (!meta.args) return ok(args);
  const issues = validateJson({ type: 'object', properties: { args: meta.args } }, { args: args ?? null });
  if (issues.length === 0) return ok(args);
  const lines = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  return usage(
    `The arguments of workflow ${meta.name} do not fit its schema: ${lines.join('; ')}.`,
    `${file} says what is expected: ${JSON.stringify(meta.args).slice(0, 500)}`,
  );
}

function refuse(file: string, line: number, reason: string): Result<never> {
  return usage(`${file}:${line}: ${reason.replace(/\.$/, '')}.`);
}

function countLines(text: string): number {
  return text.split('\n').length;
}
