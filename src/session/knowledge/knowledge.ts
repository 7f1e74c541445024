import { release } from 'node:os';
import type { AgentDefinition } from '../../agents/definition.ts';
import { knowledgeStep } from '../../agents/steps/knowledge.ts';
import { type AgentMemory, agentMemory, type MemoryWorld } from '../../knowledge/agent-memory.ts';
import { type Memory, type MemoryOptions, projectMemory } from '../../knowledge/memory.ts';
import { renderSystemPrompt } from '../../knowledge/prompt.ts';
import { timestamp } from '../../lib/clock.ts';
import { escapeHarnessTags, remind } from '../../lib/text/harness-tags.ts';
import type { Rule, Tool } from '../../protocol/index.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { findRoot } from '../../workspace/workspace.ts';
import { openFileJudge } from '../environment.ts';
import type { SessionFeature } from '../opening.ts';
import type { LeadPermissions } from '../permissions.ts';
import type { Surroundings } from '../surroundings.ts';
import type { SessionReel } from '../tape.ts';
import type { Preloaded } from './skills.ts';

/** The agents' knowledge of the project and of where they run. */
export interface Knowledge {
  memory: Memory;
  /** The lead's system prompt, rendered once. */
  renderLead(wish: LeadPrompt): string[];
  /** An agent's prompt: its own text, the same surroundings, and memory unless it is left out. */
  renderAgent(definition: AgentDefinition, model: string, cwd: string): string[];
}

export interface LeadPrompt {
  tools: readonly Tool[];
  model: string;
  cwd: string;
  /** Replaces the main prompt. */
  override?: string | undefined;
  append?: string | undefined;
}

export function knowledgeFeature(
  { preloaded }: { preloaded: Preloaded },
  { startRules }: Pick<LeadPermissions, 'startRules'>,
): SessionFeature<Knowledge> {
  return {
    name: 'knowledge',
    async open({ place, settings, tape, events, options, restored }) {
      const sayDebug = (text: string) => events.noticeOnce('debug', text);
      const readStatus = openGitStatus(place, tape, { sayDebug });
      const readBrief = openGitStatus(place, tape, { sayDebug, isBrief: true });
      // Begun before anything else, so that the first request does not wait for git.
      if (!restored) void readBrief(place.cwd);
      const memory = await readMemory(place, settings, options.settingSources, startRules);
      const report = (text: string) => events.noticeOnce('warning', text);
      const prompts = renderPrompts(place, memory, preloaded, report);
      return {
        ...{ ...prompts, memory },
        agentSteps: [
          knowledgeStep({
            renderSystem(definition, model, cwd) {
              const { missing = [] } = preloaded.get(definition.name) ?? {};
              if (missing.length > 0)
                events.noticeOnce(
                  'debug',
                  `${definition.name}: cannot preload skills that do not exist: ${missing.join(', ')}.`,
                );
              return prompts.renderAgent(definition, model, cwd);
            },
            readGitStatus: async (definition, cwd) =>
              definition.omitProjectMemory ? undefined : readStatus(cwd),
          }),
        ],
        async briefing() {
          const status = await readBrief(place.cwd);
          return status === undefined ? undefined : remind(status);
        },
        notices: memory.problems.map((problem) => problem.message),
      };
    },
  };
}

export function readMemory(
  place: Surroundings,
  settings: LoadedSettings,
  sources?: readonly string[],
  rules: readonly Rule[] = settings.rules,
): Promise<Memory> {
  return projectMemory(memoryOptions(place, settings, sources, rules));
}

export function memoryOptions(
  place: Surroundings,
  settings: LoadedSettings,
  sources: readonly string[] | undefined,
  rules: readonly Rule[],
): MemoryOptions {
  const { cwd, root, home, userHome } = place;
  const judge = openFileJudge(place, settings, {}, rules);
  return { cwd, root, home, userHome, sources, excludes: settings.claudeMdExcludes, judge };
}

export function renderPrompts(
  place: Surroundings,
  { files, options }: Memory,
  preloaded: Preloaded = new Map(),
  report?: (problem: string) => void,
): Pick<Knowledge, 'renderLead' | 'renderAgent'> {
  const memory = files.map((file) => ({ ...file, text: place.secrets.hide(file.text) }));
  const environment = {
    root: place.root,
    isGit: place.isRepository,
    platform: process.platform,
    osVersion: release(),
    shell: place.shell,
    date: timestamp(place.clock),
  };
  return {
    renderLead: ({ tools, model, cwd, override, append }) =>
      renderSystemPrompt({
        tools: tools.map((tool) => tool.name),
        ...environment,
        ...{ cwd, model, memory, override, append },
      }),
    renderAgent: (definition, model, cwd) => [
      ...renderSystemPrompt({
        tools: [],
        ...environment,
        ...{ cwd, model, memory: definition.omitProjectMemory ? [] : memory },
        override: escapeHarnessTags(definition.prompt),
      }),
      ...ownKnowledge(definition, place, preloaded, { judge: options.judge, report }),
    ],
  };
}

/** An agent type's initial knowledge: the skills that its definition names, and its own notes. */
function ownKnowledge(
  definition: AgentDefinition,
  around: Surroundings,
  preloaded: Preloaded,
  reading: Pick<MemoryWorld, 'judge' | 'report'>,
): string[] {
  const { sections = [] } = preloaded.get(definition.name) ?? {};
  const memory = findMemory(definition, around, reading);
  return [
    ...(sections.length > 0 ? [skillsSection(sections, around)] : []),
    ...(memory ? [around.secrets.hide(memory.section)] : []),
  ];
}

/** The part of a prompt that holds an agent's skills. */
export function skillsSection(sections: readonly string[], { secrets }: Surroundings): string {
  return secrets.hide(`# Skills\n\n${skillsIntroduction}\n\n${sections.join('\n\n')}`);
}

const skillsIntroduction =
  'Instructions for work like yours: follow them where they help with your task. They grant no permissions.';

/**
 * The notes that an agent of this definition keeps between runs. A repository's definition has power only once trusted:
 * until then, notes in the repository are shown as data and never written automatically; notes in the user's home are
 * neither shown nor written.
 */
export function findMemory(
  { name, memory, source, trusted }: AgentDefinition,
  around: Pick<Surroundings, 'root' | 'home' | 'userHome'>,
  { judge, report }: Pick<MemoryWorld, 'judge' | 'report'> = {},
): AgentMemory | undefined {
  if (memory === undefined) return undefined;
  const mayWrite = source !== 'project' || trusted === true;
  if (memory === 'user' && !mayWrite) return undefined;
  const { root, home, userHome } = around;
  return agentMemory(name, memory, mayWrite, { root, home, userHome, judge, report });
}

/**
 * The git status of each directory that an agent starts in. Read once, when the first agent needs it, so that all
 * agents that start there get the same bytes. It is on the tape: a replay looks at no repository.
 */
export function openGitStatus(
  around: Surroundings,
  reel: SessionReel | undefined,
  options: StatusOptions,
): (cwd: string) => Promise<string | undefined> {
  const seen = new Map<string, Promise<string | undefined>>();
  return async (cwd) => {
    const known = seen.get(cwd) ?? lookOnTape(cwd);
    seen.set(cwd, known);
    return known;
  };

  async function lookOnTape(cwd: string): Promise<string | undefined> {
    // With a tape nothing is reported, since the replay could not report it.
    const { isBrief } = options;
    const name = `${isBrief ? 'brief git status' : 'git status'} in ${cwd}`;
    if (reel) return reel.look(name, () => readGitStatus(around, cwd, { isBrief }));
    return readGitStatus(around, cwd, options);
  }
}

interface StatusOptions {
  sayDebug?: (text: string) => void;
  /** For the lead, whose first request waits for it: branch and changes, not the latest commits. */
  isBrief?: boolean | undefined;
}

/** Undefined if there is no repository, no git, or no answer in time: an agent can do without. */
export async function readGitStatus(
  { environment, outside, secrets }: Surroundings,
  cwd: string,
  { sayDebug, isBrief }: StatusOptions = {},
): Promise<string | undefined> {
  if (findRoot(cwd) === undefined) return undefined;
  const { gitSnapshot } = await import('../../workspace/git/snapshot.ts');
  const found = await gitSnapshot({ cwd, env: { ...environment }, clock: outside.clock, isBrief });
  if (!found.ok) {
    sayDebug?.(`Agents here start without a git status: ${found.problem.message}`);
    return undefined;
  }
  const { renderGitStatus } = await import('../../knowledge/git-status.ts');
  return secrets.hide(renderGitStatus(found.value, { isBrief }));
}
