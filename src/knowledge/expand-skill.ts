import { dirname } from 'node:path';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { boundText, visible } from '../lib/text/text.ts';
import { textOf } from '../protocol/message.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { splitInlineShell } from '../settings/trust/markdown-pieces.ts';
import { statQuietly } from '../workspace/find-markdown.ts';
import { resolvePath } from '../workspace/paths.ts';
import { fillCommand, fillText, type GivenArguments, splitArguments } from './arguments.ts';
import { labelled } from './label.ts';
import { readMemoryText } from './memory-text.ts';
import type { OpenSkill } from './open-skill.ts';
import type { Skill } from './skill.ts';

/** The calls that a skill's text may make: as calls of the agent that uses it, judged like its other calls. */
export interface SkillHands {
  readonly cwd: string;
  readonly userHome: string;
  run(command: string, variables: Readonly<Record<string, string>>): Promise<ToolResult>;
  read(path: string): Promise<ToolResult>;
}

const maxCommands = 20;
const maxFiles = 10;
const maxPartSize = 30_000;
const maxTextSize = 200_000;

export interface Expansion {
  /** Labelled, ready for a prompt. */
  text: string;
  /** The same without its label, for an agent that gets it as its task. */
  plain: string;
  /** For people. */
  notes: string[];
}

/** A skill's text with its arguments, the output of its commands, and the files that it names. */
export async function expandSkill(opened: OpenSkill, args: string, hands: SkillHands): Promise<Expansion> {
  const { skill } = opened;
  const given = splitArguments(args);
  const notes = [...opened.notes];
  const body = escapeHarnessTags(boundText(visible(await fill(opened, given, hands, notes)), maxTextSize));
  const files = skill.kind === 'command' ? await filesNamed(body, hands) : [];
  return {
    text: label(skill, body, files),
    plain: [body, ...files].join('\n\n'),
    notes,
  };
}

/** Files are put beside the text: their content is not part of it. */
function label({ kind, name, source, file }: Skill, text: string, files: readonly string[]): string {
  const from = source === 'project' ? 'repository' : source;
  const where = kind === 'skill' ? `Files that it names are relative to ${dirname(file)}.\n\n` : '';
  return [labelled(`cadre-${kind}`, { name, from, file }, where + text), ...files].join('\n\n');
}

async function fill(
  { skill, body, mayRun, places }: OpenSkill,
  given: GivenArguments,
  hands: SkillHands,
  notes: string[],
): Promise<string> {
  const filled: string[] = [];
  let took = false;
  let commands = 0;
  for (const part of splitInlineShell(body)) {
    if ('text' in part) {
      const text = fillText(part.text, skill.arguments, given, places);
      took ||= text.took;
      filled.push(text.text);
      continue;
    }
    commands++;
    const command = fillCommand(part.command, skill.arguments, given, places);
    took ||= command.took;
    const environment = { ...command.variables, ...places };
    if (!mayRun) filled.push('[This command was not run: the file is not trusted.]');
    else if (command.problem !== undefined) filled.push(`[Not run: ${command.problem}.]`);
    else if (commands > maxCommands) filled.push(`[Not run: more than ${maxCommands} commands.]`);
    else filled.push(await output(hands, command.command, environment));
  }
  if (!mayRun && commands > 0)
    notes.push(
      `commands in ${skill.file} were not run because it is not trusted; run cadre trust to review them`,
    );
  if (!took && given.text !== '') filled.push(`\n\nARGUMENTS: ${given.text}`);
  return filled.join('');
}

async function output(
  hands: SkillHands,
  command: string,
  variables: Record<string, string>,
): Promise<string> {
  const result = await hands.run(command, variables);
  const text = boundText(textOf(result.content).trimEnd(), maxPartSize);
  return result.isError ? `[${text}]` : text;
}

/**
 * `@path` in a command: the content of the file, beside the text. A word with an at sign that is not a file stays a
 * word.
 */
async function filesNamed(text: string, hands: SkillHands): Promise<string[]> {
  const paths = readMemoryText(text)
    .imports.map((name) => resolvePath(hands.cwd, name, hands.userHome))
    .filter((path) => statQuietly(path)?.isFile());
  const blocks: string[] = [];
  for (const path of [...new Set(paths)].slice(0, maxFiles)) {
    const result = await hands.read(path);
    const content = boundText(textOf(result.content), maxPartSize);
    const text = result.isError ? `[${content}]` : content;
    blocks.push(labelled('cadre-file', { path }, text), ...(result.notes ?? []));
  }
  return blocks;
}
