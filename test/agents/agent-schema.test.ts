import { describe, expect, test } from 'bun:test';
import { agentSchema, renderAgentDescription } from '../../src/agents/agent-schema.ts';
import { builtInAgents } from '../../src/agents/definitions/built-in.ts';
import { custom } from './definitions.ts';

const least = { description: 'find it', prompt: 'Find it.' };

function faults(input: unknown): string {
  const parsed = agentSchema.safeParse(input);
  return parsed.success
    ? ''
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}

describe("AG1: the Agent tool's input", () => {
  test('description and prompt are enough; every field is taken', () => {
    expect(agentSchema.parse(least)).toEqual({ ...least, notes: [] });
    const all = {
      ...least,
      subagent_type: 'Explore',
      model: 'haiku',
      effort: 'low',
      run_in_background: true,
      name: 'finder-1',
      isolation: 'worktree',
    } as const;
    expect(agentSchema.parse(all)).toEqual({ ...all, notes: [] });
  });

  test('type is another name for subagent_type', () => {
    expect(agentSchema.parse({ ...least, type: 'Plan' }).subagent_type).toBe('Plan');
    expect(faults({ ...least, type: 'Plan', subagent_type: 'Explore' })).toContain(
      'Use either subagent_type or type',
    );
    expect(faults({ ...least, type: 7 })).toContain('Expected the name of an agent type');
  });

  test('team_name is taken though it is not shown, and must be a name', () => {
    expect(agentSchema.parse({ ...least, team_name: 'x' })).toEqual({ ...least, team_name: 'x', notes: [] });
    expect(faults({ ...least, team_name: 7 })).toContain('Expected the name of a team');
    expect(JSON.stringify(agentSchema.toJSONSchema({ brief: true }))).not.toContain('team_name');
  });

  test('mode is taken, has no effect, and that is said', () => {
    const { notes, ...input } = agentSchema.parse({ ...least, mode: 'bypassPermissions' });
    expect(input).toEqual(least);
    expect(notes).toHaveLength(1);
  });

  test('other keys are refused by name', () => {
    expect(faults({ ...least, resume: 'x', tools: [] })).toBe(
      ' Unrecognized key: "resume";  Unrecognized key: "tools"',
    );
  });

  test.each<[string, unknown]>([
    ['description', ' '],
    ['prompt', '\n'],
    ['effort', 'heroic'],
    ['isolation', 'none'],
    ['name', 'a@b'],
    ['name', '*'],
    ['run_in_background', 'yes'],
  ])('%s: %j is refused', (field, value) => {
    expect(faults({ ...least, [field]: value })).toStartWith(field);
  });

  test('the model is shown a closed object without the other names', () => {
    const shown = agentSchema.toJSONSchema({ brief: true });
    expect(shown.additionalProperties).toBe(false);
    expect(shown.required).toEqual(['description', 'prompt']);
    expect(Object.keys(shown.properties ?? {})).not.toContain('type');
    expect(Object.keys(shown.properties ?? {})).not.toContain('mode');
  });
});

describe('its description', () => {
  const lines = (text: string) => text.slice(text.indexOf('Types:')).split('\n').slice(1);

  test('lists the types, one a line, in an order that does not depend on where they were found', () => {
    const own = [custom({ name: 'b', description: 'does\nb' }), custom({ name: 'a', description: 'does a' })];
    const text = renderAgentDescription([...own, ...builtInAgents()]);
    expect(text).toBe(renderAgentDescription([...builtInAgents(), ...own].reverse()));
    expect(lines(text).map((line) => line.slice(0, 10))).toEqual([
      '- Explore:',
      '- Plan: De',
      '- general-',
      '- a: does ',
      '- b: does ',
    ]);
    expect(Buffer.byteLength(text)).toBeLessThan(1_800);
  });

  test('the fork and the worker only where they are on', () => {
    const text = renderAgentDescription(builtInAgents(), { forking: true, worker: true });
    expect(lines(text)[0]).toStartWith('- fork: ');
    expect(text).toContain('\n- worker: ');
  });

  test('is bounded however many there are and whatever they say', () => {
    const many = Array.from({ length: 2_000 }, (_, index) =>
      custom({ name: `agent-${index}`, description: `\u001b[2J${'long '.repeat(1_000)}` }),
    );
    const text = renderAgentDescription([...many, ...builtInAgents()]);
    expect(text.length).toBeLessThan(10_000);
    expect(text).not.toContain('\u001b');
    expect(lines(text).at(-2)).toMatch(/^Also: agent-\d+, .* and \d+ more\.$/);
    expect(lines(text).at(-1)).toContain('subagent_type "?"');
  });

  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      custom({
        name: `some-agent-${index}`,
        description: `Does task ${index}. ${'More about it. '.repeat(30)}`,
      }),
    );

  test('says what each is for, in short lines, where that is possible', () => {
    const text = renderAgentDescription([...numbered(80), ...builtInAgents()]);
    for (let index = 0; index < 80; index++)
      expect(text).toContain(`- some-agent-${index}: Does task ${index}.`);
    expect(text).not.toContain('Also:');
    expect(text.length).toBeLessThan(10_000);
  });

  test('names all of 202, says what many are for, and how the others are found', () => {
    const text = renderAgentDescription([...numbered(202), ...builtInAgents()]);
    for (let index = 0; index < 202; index++) expect(text).toMatch(new RegExp(`some-agent-${index}[:,.]`));
    expect(lines(text).filter((line) => line.startsWith('- ')).length).toBeGreaterThan(50);
    expect(lines(text)[0]).toStartWith('- Explore: Quick');
    expect(lines(text).at(-1)).toContain('subagent_type "?"');
    expect(text.length).toBeLessThan(10_000);
  });
});

test('NT3 a description cannot speak as the harness', () => {
  const [one] = builtInAgents();
  if (!one) throw new Error('no built-in agents');
  const text = renderAgentDescription([{ ...one, description: '<task-notification>' }]);
  expect(text).toContain('&lt;task-notification>');
});
