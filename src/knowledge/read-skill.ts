import { renderValue } from '../lib/fields/describe-value.ts';
import { type FieldFault, FieldReader } from '../lib/fields/field-reader.ts';
import {
  isRecord,
  readBooleanField,
  readChoice,
  readCountField,
  readListField,
  readRecordField,
  readTextField,
} from '../lib/fields/field-values.ts';
import { defined, fieldTable, sortFields } from '../lib/fields/fields.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { type Effort, efforts } from '../protocol/effort.ts';
import type { DefinitionSource } from '../settings/definition-places.ts';
import { findMisspeltTool } from '../settings/known-tools.ts';
import { parseRule, splitToolList } from '../settings/rules.ts';
import type { Skill } from './skill.ts';

export interface SkillOrigin {
  kind: Skill['kind'];
  source: DefinitionSource;
  file: string;
  within?: string;
  /** The folder or file name; used if no field names a skill. */
  fallbackName: string;
  /** The prefix of a plugin or a folder: `plugin:`. */
  prefix: string;
}

const skillFields = fieldTable(
  [
    ['name'],
    ['description'],
    ['whenToUse'],
    ['argumentHint'],
    ['arguments'],
    // The second is an older name that plugins still use.
    ['disableModelInvocation', 'hidefromslashcommandtool'],
    // Many files have it in this spelling.
    ['userInvocable', 'userinvokable'],
    ['allowedTools'],
    ['disallowedTools'],
    ['model'],
    ['effort'],
    ['context'],
    ['agent'],
    ['background'],
    ['paths'],
    ['shell'],
    ['hooks'],
    // Described elsewhere, or irrelevant to us; they need no note.
    ['metadata'],
    ['license'],
    ['compatibility'],
    ['version'],
  ],
  ['disableModelInvocation', 'userInvocable', 'disallowedTools'],
);

/**
 * Reads one skill from its fields. As with agents, a field that limits the skill and cannot be understood makes the
 * whole skill invalid; any other bad field is left out and noted.
 */
export function readSkill(
  data: Readonly<Record<string, unknown>>,
  body: string,
  origin: SkillOrigin,
): Result<Skill, FieldFault> {
  const reader = new SkillReader(sortFields(data, skillFields));
  const skill = reader.read(body, origin);
  return reader.fault ? fail(reader.fault) : ok(skill);
}

class SkillReader extends FieldReader {
  read(body: string, { kind, source, file, within, fallbackName, prefix }: SkillOrigin): Skill {
    const described = this.may('description', readTextField, 'a string');
    const allowed = this.may('allowedTools', readToolList, 'tool names or rules');
    const shell = this.may('shell', readTextField, 'a string');
    if (shell !== undefined && shell !== 'bash')
      this.notes.push(`shell: "${shell}" is not supported; using bash`);
    return {
      name: prefix + this.#name(kind, fallbackName),
      kind,
      source,
      file,
      description: described ?? firstWords(body),
      isDescribed: described !== undefined,
      arguments: this.may('arguments', readNames, 'names') ?? [],
      modelInvocable: !this.must('disableModelInvocation', readBooleanField, 'true or false'),
      userInvocable: this.must('userInvocable', readBooleanField, 'true or false') ?? true,
      disallowedTools: this.#disallowedTools(file),
      paths: this.must('paths', readListField, 'path patterns') ?? [],
      ...defined({
        within,
        whenToUse: this.may('whenToUse', readTextField, 'a string'),
        argumentHint: this.may('argumentHint', readHint, 'a string') || undefined,
        allowedTools: allowed,
        model: this.#model(),
        effort: this.may('effort', readEffort, effortNames),
        fork: this.#fork(),
        hooks: this.must('hooks', readRecordField, 'hooks by event, as in settings'),
      }),
      notes: this.notes,
    };
  }

  /** A command is named after its file. */
  #name(kind: Skill['kind'], fallback: string): string {
    const written = kind === 'skill' ? this.may('name', readTextField, 'a string') : undefined;
    for (const name of written === undefined ? [fallback] : [written, fallback])
      if (isName(name)) {
        if (written !== undefined && name !== written)
          this.notes.push(
            'name is ignored: expected at most 64 letters, digits, "-", "_" or "."; using the name of the folder',
          );
        return name;
      }
    return this.refuse('name', 'expected at most 64 letters, digits, "-", "_" or "."');
  }

  /** A denial that denies nothing makes the skill invalid: its author relies on it. */
  #disallowedTools(file: string): string[] {
    const texts = this.must('disallowedTools', readToolList, 'tool names or rules') ?? [];
    for (const text of texts) {
      const rule = parseRule(text, 'deny', 'session', file, '/');
      const meant = rule.ok ? findMisspeltTool(rule.value.tool) : undefined;
      if (!rule.ok) this.refuse('disallowedTools', rule.problem.message.slice(file.length + 2));
      else if (meant !== undefined)
        this.refuse('disallowedTools', `"${text.slice(0, 100)}" is not a tool. Did you mean ${meant}?`);
    }
    return texts;
  }

  #model(): string | undefined {
    const model = this.must('model', readTextField, 'the name of a model, or inherit');
    return model?.toLowerCase() === 'inherit' ? undefined : model;
  }

  /** Prose in it is no misspelt `fork`: other products take a text to add. */
  #context(): 'fork' | 'inline' | undefined {
    const written = this.value('context');
    if (typeof written !== 'string' || !/\s/.test(written.trim()))
      return this.must('context', readContext, 'fork, or no value');
    this.notes.push('context is ignored: expected fork, or no value');
    return undefined;
  }

  #fork(): Skill['fork'] {
    const context = this.#context();
    const agent = this.must('agent', readTextField, 'the name of an agent type');
    const background = this.may('background', readBooleanField, 'true or false') ?? true;
    return context === 'fork' ? { agent: agent ?? 'general-purpose', background } : undefined;
  }
}

// Made once: there may be hundreds of files.
const effortNames = `${efforts.join(', ')} or a number`;
const readContext = readChoice(['fork', 'inline']);

/** Users separate them by commas, by spaces, or write a list. */
function readToolList(value: unknown): string[] | undefined {
  if (typeof value === 'string') return splitToolList(value);
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.flatMap(splitToolList)
    : undefined;
}

/** `[file]` is a list to YAML, and `[optional: a file]` a list of fields. */
function readHint(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map((item) => `[${renderHint(item)}]`).join(' ');
  return value === '' ? '' : readTextField(value);
}

function renderHint(item: unknown): string {
  if (!isRecord(item)) return renderValue(item);
  return Object.entries(item)
    .map(([name, value]) => `${name}: ${renderValue(value)}`)
    .join(', ');
}

function readNames(value: unknown): string[] | undefined {
  const names =
    typeof value === 'string' ? value.split(/[\s,]+/).filter((name) => name !== '') : readListField(value);
  return names?.every((name) => /^[A-Za-z_]\w{0,63}$/.test(name)) ? names : undefined;
}

function readEffort(value: unknown): Effort | undefined {
  return efforts.find((effort) => effort === value) ?? readCountField(value);
}

/** Most names are plain: the expression for all scripts is used only if needed. */
function isName(name: string): boolean {
  return /^\w[\w.-]{0,63}$/.test(name) || /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,63}$/u.test(name);
}

/** The first line of a text that is not empty. */
function firstWords(body: string): string {
  const line = body.split('\n', 200).find((one) => /\w/.test(one) || /[\p{L}\p{N}]/u.test(one)) ?? '';
  return line.replace(/^[#>*\s-]+/, '').trim();
}
