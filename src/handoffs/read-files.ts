import { type FieldFault, FieldReader } from '../lib/fields/field-reader.ts';
import { readChoice, readListField, readTextField } from '../lib/fields/field-values.ts';
import { type FieldTable, fieldTable, sortFields } from '../lib/fields/fields.ts';
import {
  type Frontmatter,
  type FrontmatterProblem,
  parseFrontmatter,
} from '../lib/frontmatter/frontmatter.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { canonicalToolName, isMcpToolName } from '../protocol/tool-names.ts';
import { isOurTool } from '../settings/known-tools.ts';
import type { HandoffProfile, HandoffProtocol, HandoffSource, HandoffTemplate } from './file-types.ts';
import { handoffRoles, isRoleName } from './roles.ts';
import { type HandoffPhase, handoffPhases } from './schema.ts';

export interface FileOrigin {
  /** The name of the file without `.md`. */
  name: string;
  source: HandoffSource;
  file?: string | undefined;
}

type Read<T> = Promise<Result<T, FrontmatterProblem>>;

const profileFields = fieldTable([['name'], ['description'], ['tools'], ['use_cases']], ['name', 'tools']);
const templateFields = fieldTable(
  [['name'], ['description'], ['phase'], ['profile'], ['model']],
  ['name', 'phase', 'profile'],
);
const protocolFields = fieldTable([['name'], ['description']], ['name']);

export async function readProfile(text: string, origin: FileOrigin): Read<HandoffProfile> {
  return readFile(text, origin, profileFields, (reader, common) => {
    const tools = readListField(reader.value('tools'));
    if (tools === undefined || tools.length === 0)
      reader.refuse('tools', 'expected a list of tool names, such as [Read, Grep, mcp__server__*]');
    return {
      ...common,
      tools: readToolNames(tools ?? [], 'tools', reader),
      useCases: reader.may('use_cases', readListField, 'a list of strings') ?? [],
    };
  });
}

export async function readTemplate(text: string, origin: FileOrigin): Read<HandoffTemplate> {
  return readFile(text, origin, templateFields, (reader, common) => {
    const [profile = '', ...more] = readProfileLine(reader, common.body);
    if (common.body === '') reader.refuse('name', 'expected the sections of the template below the fields');
    const missing = sections.filter((section) => findSection(common.body, section) === undefined);
    if (missing.length > 0) reader.notes.push(`no section ${missing.map(titleSection).join(', ')}`);
    return {
      ...common,
      phase: readPhase(reader, origin.name),
      profile,
      moreTools: readToolNames(more, 'profile', reader),
      model: reader.must('model', readTextField, 'the name of a model'),
    };
  });
}

export async function readProtocol(text: string, origin: FileOrigin): Read<HandoffProtocol> {
  return readFile(text, origin, protocolFields, (reader, common) => {
    if (common.body === '') reader.refuse('name', 'expected text below the fields');
    return common;
  });
}

type Common = HandoffProtocol;

async function readFile<T>(
  text: string,
  { name, source, file }: FileOrigin,
  table: FieldTable,
  read: (reader: FieldReader, common: Common) => T,
): Read<T> {
  const parsed = await parseFrontmatter(text);
  if (!parsed.ok) return parsed;
  const { data, body } = parsed.value;
  const reader = new FieldReader(sortFields(data, table));
  const given = reader.must('name', readTextField, 'a string') ?? name;
  if (given !== name) reader.refuse('name', `expected ${name}, the name of the file`);
  const description = reader.may('description', readTextField, 'a string') ?? '';
  const notes = [...parsed.value.notes];
  const found = read(reader, { name, description, source, file, body: body.trim(), notes });
  notes.push(...reader.notes);
  return reader.fault ? fail(placeFault(reader.fault, parsed.value)) : ok(found);
}

function placeFault({ field, reason }: FieldFault, { lines }: Frontmatter): FrontmatterProblem {
  return { line: lines.get(field ?? '') ?? 1, reason };
}

/** A tool that is listed wrongly is refused: what it was meant to allow or leave out is not known. */
function readToolNames(names: readonly string[], field: string, reader: FieldReader): string[] {
  for (const name of names) {
    if (/[(),\s]/.test(name))
      reader.refuse(
        field,
        `"${name.slice(0, 100)}": expected the name of a whole tool; put rules in settings`,
      );
    else if (name.includes('*') && !/^(?:\*|mcp__[^*]+__\*)$/.test(name))
      reader.refuse(field, `${name.slice(0, 100)}: * is only valid alone or after mcp__<server>__`);
  }
  const own = names.map(canonicalToolName);
  const unknown = own.filter((name) => name !== '*' && !isMcpToolName(name) && !isOurTool(name));
  if (unknown.length > 0) reader.notes.push(`unknown tool: ${unknown.slice(0, 10).join(', ')}`);
  return [...new Set(own)];
}

/** `read-only + Bash`, from the field or, in files without fields, from the section. */
function readProfileLine(reader: FieldReader, body: string): string[] {
  const given = reader.must('profile', readTextField, 'the name of a profile');
  const text = given ?? findSection(body, 'profile')?.split(/[\n(:]/)[0] ?? '';
  const parts = text.split('+').map((part) => part.trim());
  if (!/^[\w.-]+$/.test(parts[0] ?? ''))
    reader.refuse('profile', 'expected the name of a profile, optionally with tools: read-only + Bash');
  return parts;
}

/** The phase of a built-in role is fixed, because programs rely on its findings. */
function readPhase(reader: FieldReader, name: string): HandoffPhase {
  const role = isRoleName(name) ? handoffRoles[name] : undefined;
  const given = reader.must('phase', readChoice(handoffPhases), handoffPhases.join(', '));
  if (role && given !== undefined && given !== role.phase)
    reader.refuse('phase', `expected ${role.phase}, the phase of the built-in ${name}`);
  const phase = given ?? role?.phase;
  if (phase === undefined && !reader.fault)
    reader.refuse('phase', `expected ${handoffPhases.join(', ')}: ${name} is not a built-in role`);
  return phase ?? 'validate';
}

const sections = ['role', 'profile', 'input', 'output', 'behaviour'] as const;

/** The text of a section; undefined if the template has none of that name. */
function findSection(body: string, name: (typeof sections)[number]): string | undefined {
  const title = name === 'behaviour' ? 'behaviou?r' : name;
  const [heading] = new RegExp(`^#+[ \\t]+${title}[ \\t]*$`, 'im').exec(body) ?? [];
  if (heading === undefined) return undefined;
  const after = body.slice(body.indexOf(heading) + heading.length);
  return (after.split(/^#+[ \t]/m)[0] ?? '').trim();
}

function titleSection(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
