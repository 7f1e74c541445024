import { expect, test } from 'bun:test';
import type { AgentDefinition } from '../../src/agents/definition.ts';
import { explore, generalPurpose, plan } from '../../src/agents/definitions/built-in.ts';
import { resolveTools } from '../../src/agents/tool-filter.ts';
import { weighRequest } from '../../src/commands/definitions/weigh.ts';
import { renderSystemPrompt } from '../../src/knowledge/prompt.ts';
import { failure } from '../../src/lib/result.ts';
import { coreTools, installedRipgrep } from '../../src/tools/index.ts';

const search = { url: 'https://example.com', find: async () => failure('none') };
const all = coreTools(installedRipgrep(), '/home/u/.cadre', { search, attended: true });
const memory = [{ path: '/repo/AGENTS.md', scope: 'project' as const, text: 'x'.repeat(30_000) }];

function weigh(definition: AgentDefinition) {
  const { tools } = resolveTools(all, {
    definition,
    background: false,
    depth: 1,
    maxDepth: 1,
  });
  const system = renderSystemPrompt({
    tools: [],
    cwd: '/home/somebody/projects/a-repository/packages/one',
    root: '/home/somebody/projects/a-repository',
    isGit: true,
    platform: 'linux',
    osVersion: '6.8.0-45-generic',
    shell: '/bin/bash',
    date: '2026-11-20',
    model: 'anthropic/claude-haiku-5-5',
    memory: definition.omitProjectMemory ? [] : memory,
    override: definition.prompt,
  });
  return weighRequest(system, tools);
}

test("LN1: Explore's first request with all its tools is at most 12 KB, however large the project's memory", () => {
  const { total, system, tools } = weigh(explore);
  expect(total).toBeLessThanOrEqual(12_000);
  expect(system + tools).toBeLessThan(total);
});

test('LN1: Plan goes without memory too, general-purpose does not', () => {
  expect(weigh(plan).system).toBeLessThan(3_000);
  expect(weigh(generalPurpose).system).toBeGreaterThan(30_000);
});
