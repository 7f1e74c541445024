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
  /** The name to use if no field gives one. */
  fallbackName?: string;
  /** The folders of a plugin, which are part of the name: `plugin:sub:`. */
  prefix?: string;
  /** The plugin's directory. */
  plugin?: string | undefined;
  /** The body of a file; a field in JSON. */
  prompt?: string;
}

/**
 * Reads one definition from its fields. A field that limits the agent and cannot be understood makes the whole
 * definition invalid, since without it the agent could do more than its author wanted. Any other bad field is left out
 * and noted.
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
    const { source, file, plugin, prefix = '' } = this.origin;
    const name = this.#name();
    const lists = readToolLists(this.value('tools'), this.value('disallowedTools'));
    if (typeof lists === 'string')
      this.refuse(lists, 'expected tool names: a list, or a string separated by commas');
    else if (lists.useless)
      this.refuse(
        'tools',
        `${lists.useless.join(', ')}: only whole tools can be listed here; put rules in settings`,
      );
    else if (lists.misspelt) this.#refuseDenial(lists.misspelt);
    const { tools, disallowedTools, spawnable, notes } = typeof lists === 'string' ? noTools : lists;
    this.notes.push(...notes);
    return {
      name: prefix + name,
      description: this.#description(),
      prompt: this.#prompt(),
      source,
      tools,
      disallowedTools,
      background: this.may('background', values.readBooleanField, 'true or false') ?? false,
      mcpServers: this.#mustNotPlugin('mcpServers', values.readServers, serverForm) ?? [],
      skills: this.may('skills', values.readListField, 'names of skills') ?? [],
      omitProjectMemory: this.may('omitProjectMemory', values.readBooleanField, 'true or false') ?? false,
      role: { tools, denied: disallowedTools, shell: 'full', writes: true },
      ...defined({
        file,
        plugin,
        spawnable,
        model: this.#model(),
        permissionMode: this.#permissionMode(),
        maxTurns: this.must('maxTurns', values.readCountField, 'a whole number of at least 1'),
        ...this.#place(),
        hooks: this.#mustNotPlugin('hooks', values.readRecordField, 'hooks by event, as in settings'),
        memory: this.may('memory', findMemory, 'user, project or local'),
        color: this.may('color', readColor, colorNames),
        effort: this.may('effort', values.readEffort, effortNames),
        initialPrompt: this.may('initialPrompt', values.readTextField, 'a string'),
        autoCompactWindow: this.may('autoCompactWindow', values.readCountField, 'a number of tokens'),
      }),
      notes: this.notes,
    };
  }

  /** A denial that denies nothing would leave the agent with more than its author wanted. */
  #refuseDenial({ entry, meant }: NonNullable<ToolLists['misspelt']>): void {
    const field = this.value('disallowedTools') === undefined ? 'tools' : 'disallowedTools';
    const named = meant === undefined ? '' : ` Did you mean ${meant}?`;
    this.refuse(field, `"${entry.slice(0, 100)}" is not a tool.${named}`);
  }

  #name(): string {
    const name =
      this.value('name') === undefined ? this.origin.fallbackName : values.readTextField(this.value('name'));
    if (name === undefined || !isName(name))
      return this.refuse(
        'name',
        'expected at most 64 letters, digits, "-", "_", "." or spaces, not starting with "-"',
      );
    if (name === forkType)
      return this.refuse(
        'name',
        '"fork" is reserved for agents that continue the conversation of their parent',
      );
    return name;
  }

  #description(): string {
    return (
      values.readTextField(this.value('description')) ??
      this.refuse('description', 'expected a string that says when to use the agent')
    );
  }

  #prompt(): string {
    const prompt = this.origin.prompt ?? values.readTextField(this.value('prompt'));
    if (prompt === undefined) return this.refuse('prompt', 'expected a string');
    if (prompt.trim() === '')
      this.notes.push('there is no text below the frontmatter, so the agent has no prompt');
    return prompt.trim();
  }

  #model(): string | undefined {
    const model = this.must('model', values.readTextField, 'the name of a model, or inherit');
    // Not the same as naming none: then the setting for all agents decides.
    return model?.toLowerCase() === 'inherit' ? 'inherit' : model;
  }

  /** A worker that is named says that it runs on one. */
  #place(): Pick<AgentDefinition, 'isolation' | 'host'> {
    const isolation = this.must('isolation', values.readIsolation, 'worktree, remote or none');
    const host = this.must(
      'host',
      values.readHost,
      'the label of workers: up to 63 letters, digits, "-", "_" and "."',
    );
    if (host !== undefined && isolation !== undefined && isolation !== 'remote')
      this.refuse('host', `it goes with isolation: remote, not with ${isolation}`);
    if (host !== undefined) return { isolation: 'remote', host };
    return isolation === undefined || isolation === 'none' ? {} : { isolation };
  }

  #permissionMode(): PermissionMode | undefined {
    return this.#mustNotPlugin('permissionMode', values.readMode, modeNames);
  }

  /** An empty field is an empty list of tools, too. */
  override value(field: string): unknown {
    return field === 'tools' ? this.fields.values.get(field) : super.value(field);
  }

  /** Fields that a plugin's file may not set. */
  #mustNotPlugin<T>(field: string, read: (value: unknown) => T | undefined, expected: string): T | undefined {
    if (this.origin.source !== 'plugin') return this.must(field, read, expected);
    if (this.value(field) !== undefined)
      this.notes.push(`${this.fields.written.get(field)} is ignored in a plugin's file`);
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

/** Most names are plain: the expression for all scripts is used only if needed. */
function isName(name: string): boolean {
  return (
    /^\w(?:[\w.-]{0,62}\w)?$/.test(name) ||
    /^[\p{L}\p{N}_](?:[\p{L}\p{N}_. -]{0,62}[\p{L}\p{N}_.-])?$/u.test(name)
  );
}
