import { resolve } from 'node:path';
import { processIo } from '../../headless/process-io.ts';
import type { CommandEntry } from '../../knowledge/command-source.ts';
import { type LoadedSkills, loadSkills } from '../../knowledge/load-skills.ts';
import { findSkillStanding } from '../../knowledge/open-skill.ts';
import type { Skill } from '../../knowledge/skill.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { maxTextSize, parseFrontmatter } from '../../lib/frontmatter/frontmatter.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { skillPiece } from '../../settings/trust/markdown-pieces.ts';
import { openTrust } from '../../settings/trust.ts';
import { readSmallText } from '../../workspace/find-markdown.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { openListJudge } from '../list-judge.ts';
import type { FlagsOf } from '../table/commands.ts';
import { describeBroken, joinSections, section } from './sections.ts';

type SkillsFlags = FlagsOf<'skills'>;

/** `plain`: it asks for nothing that needs trust. `held`: it does, and does not get it. */
type SkillStanding = 'plain' | 'trusted' | 'held' | 'changed';

/** `cadre skills`, `cadre commands`: those available here, their source, and problems with the rest. */
export async function printSkills(kind: 'skill' | 'command', flags: SkillsFlags): Promise<Result<string>> {
  const around = lookAround({});
  const { cwd, root, home, userHome } = around;
  const absolute = (paths: string[] = []) => paths.map((path) => resolve(cwd, path));
  const judge = await openListJudge(around, absolute(flags.addDir));
  if (!judge.ok) return judge;
  const loaded = await loadSkills({
    ...{ cwd, root, home, userHome, judge: judge.value },
    additionalDirectories: absolute(flags.addDir),
    pluginDirectories: absolute(flags.pluginDir),
  });
  // Anything that can be typed is a command, whichever folder holds it.
  const shown = loaded.skills.filter((skill) =>
    kind === 'command' ? skill.userInvocable : skill.kind === kind,
  );
  const rows = await Promise.all(
    shown.map(async (skill) => ({ skill, standing: await standing(skill, around) })),
  );
  const prompts = kind === 'command' ? await serverCommands() : [];
  const text = flags.json
    ? formatJson({ ...buildReport(kind, rows, loaded), prompts: prompts.length > 0 ? prompts : undefined })
    : page(kind, rows, loaded, prompts);
  const named = loaded.broken.find(({ flag }) => flag !== undefined);
  if (!named) return ok(text);
  await processIo().writeOut(text);
  return usage(`${named.flag} ${named.file}: ${named.reason}.`);
}

/** No server is started for it: this is their last known offer. Problems with servers are reported elsewhere. */
async function serverCommands(): Promise<ServerCommand[]> {
  const { openMcpAdmin } = await import('../mcp/admin.ts');
  const admin = await openMcpAdmin();
  return admin.ok ? admin.value.commands() : [];
}

type ServerCommand = CommandEntry & { server: string };

async function standing(skill: Skill, { root, cwd, home }: Surroundings): Promise<SkillStanding> {
  const text = readSmallText(resolveRealPath(skill.file), maxTextSize);
  const parsed = text.ok ? await parseFrontmatter(text.value) : undefined;
  if (!parsed?.ok) return 'held';
  const { data, body } = parsed.value;
  if (skill.source !== 'project' || !skillPiece(skill.kind, skill.file, data, body)) return 'plain';
  const found = findSkillStanding(skill, data, body, { root, cwd, trust: openTrust({ home, root }) });
  return found === 'new' ? 'held' : found;
}

type Row = { skill: Skill; standing: SkillStanding };

function buildReport(kind: string, rows: readonly Row[], { broken, shadowed }: LoadedSkills): object {
  const shown = rows.map(({ skill, standing: trust }) => ({ ...skill, trust }));
  return { [`${kind}s`]: shown, broken, shadowed };
}

function page(
  kind: string,
  rows: readonly Row[],
  { broken, shadowed }: LoadedSkills,
  prompts: readonly ServerCommand[],
): string {
  const names = [...rows.map(({ skill }) => skill.name), ...prompts.map(({ name }) => name)];
  const width = Math.min(40, Math.max(0, ...names.map((name) => name.length)));
  const offered = prompts.flatMap(({ name, description, server, argumentHint }) => [
    `${visibleLine(name, 200).padEnd(width)}  ${'mcp'.padEnd(8)}  ${visibleLine(description, 100)}`,
    `    MCP server ${visibleLine(server, 100)}${argumentHint === undefined ? '' : `: ${argumentHint}`}`,
  ]);
  const own = rows.flatMap(({ skill, standing: trust }) => [
    `${visibleLine(skill.name, 200).padEnd(width)}  ${skill.source.padEnd(8)}  ${visibleLine(skill.description, 100)}`,
    `    ${visibleLine(skill.file, 500)}${sayTrust(trust)}${sayUse(skill)}`,
    ...skill.notes.map((note) => `    note: ${visibleLine(note, 500)}`),
  ]);
  const lines = [...own, ...offered];
  return joinSections([
    lines.length > 0 ? lines.join('\n') : `No ${kind}s here.`,
    ...section('Broken, not loaded:', describeBroken(broken)),
    ...section(
      'Hidden by another one with the same name:',
      shadowed.map((one) => `${one.name} (${one.source}, ${one.file}), by ${one.by.source}, ${one.by.file}`),
    ),
  ]);
}

function sayTrust(standing: SkillStanding): string {
  if (standing === 'held') return '; its commands and grants are inactive until you trust them (cadre trust)';
  if (standing === 'changed') return '; changed since you trusted it, so inactive (cadre trust)';
  return standing === 'trusted' ? '; trusted' : '';
}

function sayUse({ modelInvocable, userInvocable, fork }: Skill): string {
  return [
    ...(modelInvocable ? [] : ['; the model cannot use it']),
    ...(userInvocable ? [] : ['; you cannot use it as a command']),
    ...(fork ? [`; runs as ${visibleLine(fork.agent, 100)}`] : []),
  ].join('');
}
