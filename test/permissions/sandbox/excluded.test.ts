import { describe, expect, test } from 'bun:test';
import type { SandboxTerms } from '../../../src/protocol/sandbox.ts';
import { type Case, judge, shell } from '../cases.ts';
import { leavingLines, stayingLines } from './excluded-lines.ts';

const on: SandboxTerms = { autoAllow: true, outside: true, excluded: [], network: false };
const excluded = ['npm test', 'git --version', 'docker'];

function judgeLine(command: string, more: Partial<Case> = {}, terms: Partial<SandboxTerms> = {}) {
  return judge({
    accesses: [shell(command)],
    ...more,
    workspace: { sandbox: { ...on, excluded, ...terms } },
  });
}

function isConfined(command: string, terms: Partial<SandboxTerms> = {}): boolean {
  return judgeLine(command, { mode: 'bypassPermissions' }, terms).confine !== undefined;
}

describe('a line leaves the sandbox by excludedCommands only as a whole', () => {
  for (const line of leavingLines)
    test(`outside, and in the workspace: ${line}`, () => {
      const { confine, within } = judgeLine(line, { mode: 'bypassPermissions' });
      expect([confine, within]).toEqual([undefined, ['/repo', '/extra']]);
    });

  for (const line of stayingLines)
    test(`inside: ${line}`, () => {
      expect(isConfined(line)).toBe(true);
      expect(isConfined(line, { outside: false })).toBe(true);
    });

  test('rules that allow each part of a line do not let it out', () => {
    const granted = { allow: ['Bash(npm test)', 'Bash(touch:*)'] };
    expect(judgeLine('npm test; touch /outside/P1', granted).confine).toBeDefined();
  });

  test('what leaves is judged as without a sandbox', () => {
    for (const pattern of ['docker', 'docker:*', 'docker *'])
      expect(judgeLine('docker ps', {}, { excluded: [pattern] })).toMatchObject({
        ...{ behaviour: 'ask', by: 'default' },
      });
    expect(judgeLine('dockerize x')).toMatchObject({ behaviour: 'allow', by: 'sandbox' });
  });
});
