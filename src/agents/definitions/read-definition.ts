import { type FieldFault, FieldReader } from '../../lib/fields/field-reader.ts';
import { defined } from '../../lib/fields/fields.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { type PermissionMode, permissionModes } from '../../protocol/permission.ts';
import { type AgentDefinition, type AgentSource, efforts, forkType } from '../definition.ts';
import { readToolLists, type ToolLists } from './read-tool-list.ts';
import * as values from './read-values.ts';
import { type Fields, sortFields } from './read-values.ts';

export interface DefinitionOrigin {
  source: AgentSource;
  file?: string;
  /** What it is called where no field says so. */
  fallbackName?: string;
  /** The folders of a plugin, which are part of the name: `plugin:sub:`. */
  prefix?: string;
  /** The body of a file; a field in JSON. */
  prompt?: string;
}

/**
 * One definition out of its fields. A field that narrows what the agent may do and cannot be understood is a fault of
 * the whole: without it the agent would do more than its author wanted. Of the other fields a bad one is left out and
 * noted.
 */
export function readDefinition(
  data: Readonly<Record<string, unknown>>,
  origin: DefinitionOrigin,
): Result<AgentDefinition, FieldFault> {
  const reader = new DefinitionReader(sortFields(data), origin);
  const definition = reader.read();
  return reader.fault ? fail(reader.fault) : ok(definition);
}

class DefinitionReader extends FieldReader {
  constructor(
    fields: Fields,
    private readonly origin: DefinitionOrigin,
  ) {
    super(fields);
  }

  read(): AgentDefinition {
    const { source, file, prefix = '' } = this.origin;
    const name = this.#name();
    const lists = readToolLists(this.value('tools'), this.value('disallowedTools'));
    if (typeof lists === 'string')
      this.refuse(lists, 'expected tool names: a list, or a text with commas between them');
    else if (lists.useless)
      this.refuse(
        'tools',
        `expected whole tools: ${lists.useless.join(', ')} grants none; rules belong in settings`,
      );
    const { tools, disallowedTools, spawnable, notes } = typeof lists === 'string' ? noTools : lists;
    this.notes.push(...notes);
    return {
      name: prefix + name,
      description: this.#description(),
      prompt: this.#prompt(),
      ...{ source, tools, disallowedTools },
      background: this.may('background', values.readBooleanField, 'true or false') ?? false,
      mcpServers: this.#mustNotPlugin('mcpServers', values.readServers, serverForm) ?? [],
      skills: this.may('skills', values.readListField, 'names of skills') ?? [],
      omitProjectMemory: this.may('omitProjectMemory', values.readBooleanField, 'true or false') ?? false,
      role: { tools, denied: disallowedTools, shell: 'full', writes: true },
      ...defined({
        file,
        spawnable,
        model: this.#model(),
        permissionMode: this.#permissionMode(),
        maxTurns: this.must('maxTurns', values.readCountField, 'a whole number from 1'),
        isolation: this.#isolation(),
        hooks: this.#mustNotPlugin('hooks', values.readRecordField, 'hooks by event, as in settings'),
        memory: this.may('memory', findMemory, 'user, project or local'),
        color: this.may('color', readColor, colorNames),
        effort: this.may('effort', values.readEffort, effortNames),
        initialPrompt: this.may('initialPrompt', values.readTextField, 'a text'),
        autoCompactWindow: this.may('autoCompactWindow', values.readCountField, 'a number of tokens'),
      }),
      notes: this.notes,
    };
  }

  #name(): string {
    const name =
      this.value('name') === undefined ? this.origin.fallbackName : values.readTextField(this.value('name'));
    if (name === undefined || !isName(name))
      return this.refuse(
        'name',
        'expected at most 64 letters, digits, "-", "_", "." or blanks, not beginning with "-"',
      );
    if (name === forkType)
      return this.refuse('name', '"fork" is taken: it names what goes on from the parent');
    return name;
  }

  #description(): string {
    return (
      values.readTextField(this.value('description')) ??
      this.refuse('description', 'expected a text that says when to use it')
    );
  }

  #prompt(): string {
    const prompt = this.origin.prompt ?? values.readTextField(this.value('prompt'));
    if (prompt === undefined) return this.refuse('prompt', 'expected a text');
    if (prompt.trim() === '')
      this.notes.push('there is no text below the frontmatter, so it has no prompt of its own');
    return prompt.trim();
  }

  #model(): string | undefined {
    const model = this.must('model', values.readTextField, 'the name of a model, or inherit');
    return model?.toLowerCase() === 'inherit' ? undefined : model;
  }

  #isolation(): AgentDefinition['isolation'] {
    const isolation = this.must('isolation', values.readIsolation, 'worktree, remote or none');
    return isolation === 'none' ? undefined : isolation;
  }

  #permissionMode(): PermissionMode | undefined {
    return this.#mustNotPlugin('permissionMode', values.readMode, modeNames);
  }

  /** An empty list of tools is said by leaving the field empty, too. */
  override value(field: string): unknown {
    return field === 'tools' ? this.fields.values.get(field) : super.value(field);
  }

  /** What a plugin's file may not say, whoever wrote it. */
  #mustNotPlugin<T>(field: string, read: (value: unknown) => T | undefined, expected: string): T | undefined {
    if (this.origin.source !== 'plugin') return this.must(field, read, expected);
    if (this.value(field) !== undefined)
      this.notes.push(`${this.fields.written.get(field)} does not count in a plugin's file`);
    return undefined;
  }
}

// Made once: there may be hundreds of files.
const findMemory = values.readChoice(['user', 'project', 'local'] as const);
const readColor = values.readChoice(values.colors);
const colorNames = values.colors.join(', ');
const effortNames = `${efforts.join(', ')} or a number`;
const serverForm = 'server names, or names with their configuration';
const modeNames = permissionModes.join(', ');

const noTools: ToolLists = { tools: [], disallowedTools: [], notes: [] };

/** Most are plain: the letters of all scripts are looked at only where they are needed. */
function isName(name: string): boolean {
  return (
    /^\w(?:[\w.-]{0,62}\w)?$/.test(name) ||
    /^[\p{L}\p{N}_](?:[\p{L}\p{N}_. -]{0,62}[\p{L}\p{N}_.-])?$/u.test(name)
  );
}
