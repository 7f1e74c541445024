import { describe, expect, test } from 'bun:test';
import { builtInAgents } from '../../src/agents/definitions/built-in.ts';
import { type ModelWishes, resolveAgentModel } from '../../src/agents/steps/model.ts';
import { narrowSpawnable, resolveType, type TypeOptions } from '../../src/agents/steps/type.ts';
import { fail, ok, usage } from '../../src/lib/result.ts';
import type { Rule } from '../../src/protocol/permission.ts';
import { custom } from './definitions.ts';

const deny = (specifier?: string): Rule => ({
  behaviour: 'deny',
  tool: 'Agent',
  layer: 'user',
  source: '~/.cadre/settings.json',
  base: '/',
  ...(specifier === undefined ? {} : { specifier }),
});

function resolve(named: string | undefined, given: Partial<TypeOptions> = {}): string {
  const definitions = [custom({ name: 'reviewer' }), ...builtInAgents()];
  const found = resolveType(named, { definitions, forking: false, rules: [], ...given });
  if (!found.ok) return [found.problem.message, found.problem.hint].filter(Boolean).join(' ');
  return found.value.kind === 'fork' ? 'fork' : found.value.definition.name;
}

describe('AG6: the type', () => {
  test('named wins; omitted is general-purpose, or a fork where forking is on', () => {
    expect(resolve('reviewer')).toBe('reviewer');
    expect(resolve('Explore', { forking: true })).toBe('Explore');
    expect(resolve(undefined)).toBe('general-purpose');
    expect(resolve(undefined, { forking: true })).toBe('fork');
    expect(resolve('fork', { forking: true })).toBe('fork');
  });

  test.each([
    ['general', 'general-purpose'],
    ['explore', 'Explore'],
    ['plan', 'Plan'],
  ])('%s is %s', (alias, name) => {
    expect(resolve(alias)).toBe(name);
  });

  test('a definition with the name of an alias comes first', () => {
    const definitions = [custom({ name: 'plan' }), ...builtInAgents()];
    expect(resolve('plan', { definitions })).toBe('plan');
  });

  test('an unknown type is told which there are, without those that are denied', () => {
    expect(resolve('writer', { rules: [deny('Plan')] })).toBe(
      'There is no agent type writer. Available types: Explore, general-purpose, reviewer, worker.',
    );
  });

  test('a denied type is told by which rule', () => {
    for (const rule of ['Explore', 'explore', 'Plan, Explore', 'subagent_type:Explore', 'Ex*'])
      expect(resolve('explore', { rules: [deny(rule)] })).toStartWith(
        `The agent type Explore is denied by the rule Agent(${rule}) (~/.cadre/settings.json).`,
      );
    expect(resolve(undefined, { rules: [deny('general')] })).toContain('is denied by the rule');
    expect(resolve(undefined, { rules: [deny('fork')], forking: true })).toContain('is denied by the rule');
    expect(resolve('reviewer', { rules: [deny('Explore')] })).toBe('reviewer');
  });

  test('a rule about a parameter denies no type', () => {
    expect(resolve('Explore', { rules: [deny('model:opus')] })).toBe('Explore');
  });

  test('fork where forking is off is an error of its own', () => {
    expect(resolve('fork')).toStartWith('Forks are switched off here.');
  });

  test('TF4: only what the caller may start', () => {
    const spawnable = ['worker', 'explore'];
    expect(resolve('Explore', { spawnable })).toBe('Explore');
    expect(resolve('Plan', { spawnable })).toBe(
      'This agent may not start agents of type Plan, only: worker, explore.',
    );
    expect(resolve('Plan', { spawnable: [] })).toContain('of type Plan, only: none');
  });

  test('TF4: at every depth a child may start no more than its parent', () => {
    expect(narrowSpawnable(undefined, undefined)).toBeUndefined();
    expect(narrowSpawnable(['a'], undefined)).toEqual(['a']);
    expect(narrowSpawnable(undefined, ['a'])).toEqual(['a']);
    expect(narrowSpawnable(['a', 'explore'], ['b', 'Explore'])).toEqual(['Explore']);
  });
});

describe('AG7: the model', () => {
  const models = ['openai/big', 'openai/small', 'haiku'];
  const choose = (wishes: Partial<ModelWishes<string>>) =>
    resolveAgentModel<string>({
      definition: { name: 'a' },
      parent: 'parent',
      resolve: (name) => (models.includes(name) ? ok(name) : usage(`Unknown model '${name}'.`)),
      said: new Set(),
      ...wishes,
    });
  const definition = { name: 'a', model: 'openai/small' };

  test('call, definition, environment, parent: whoever speaks first', () => {
    expect(choose({})).toEqual(ok({ model: 'parent', from: 'parent' }));
    expect(choose({ environment: 'haiku' })).toEqual(ok({ model: 'haiku', from: 'environment' }));
    expect(choose({ environment: 'haiku', definition })).toEqual(
      ok({ model: 'openai/small', from: 'definition' }),
    );
    expect(choose({ environment: 'haiku', definition, call: 'openai/big' })).toEqual(
      ok({ model: 'openai/big', from: 'call' }),
    );
  });

  test('inherit in the call is the parent; in the environment it is nothing', () => {
    expect(choose({ call: 'inherit', definition })).toEqual(ok({ model: 'parent', from: 'parent' }));
    expect(choose({ environment: 'inherit' })).toEqual(ok({ model: 'parent', from: 'parent' }));
  });

  test('an alias without a model is the parent, said once', () => {
    const said = new Set<string>();
    const first = choose({ call: 'opus', said });
    expect(first).toMatchObject({ ok: true, value: { model: 'parent', from: 'parent' } });
    expect(first.ok && first.value.note).toContain('alias opus is not mapped to a model');
    expect(choose({ call: 'opus', said })).toEqual(ok({ model: 'parent', from: 'parent' }));
  });

  test.each(['fast', 'default', 'opusplan', 'sonnet[1m]', 'sonnet-4.5'])(
    'an alias of another product in a definition, %s, is the parent, said once',
    (model) => {
      const said = new Set<string>();
      const first = choose({ definition: { name: 'a', model }, said });
      expect(first).toMatchObject({ ok: true, value: { model: 'parent', from: 'parent' } });
      expect(first.ok && first.value.note).toContain(`alias ${model} is not mapped to a model`);
      expect(choose({ definition: { name: 'a', model }, said })).toEqual(
        ok({ model: 'parent', from: 'parent' }),
      );
    },
  );

  test.each<[Partial<ModelWishes<string>>, string]>([
    [{ call: 'openai/none' }, "model: Unknown model 'openai/none'."],
    [
      { definition: { name: 'a', model: 'openai/x' } },
      "The definition of a, model: Unknown model 'openai/x'.",
    ],
    [{ definition: { name: 'a', model: 'gpt-x' } }, "The definition of a, model: Unknown model 'gpt-x'."],
    [{ call: 'fast' }, "model: Unknown model 'fast'."],
    [{ environment: 'x' }, "CADRE_SUBAGENT_MODEL: Unknown model 'x'."],
  ])('a name that cannot be had is an error that says who asked: %j', (wishes, message) => {
    expect(choose(wishes)).toEqual(fail({ kind: 'usage', message }));
  });
});
