import { describe, expect, test } from 'bun:test';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { createReachJudge } from '../../src/permissions/reach.ts';
import { suggestRules } from '../../src/permissions/suggest.ts';
import type { Access, Decision, PermissionMode } from '../../src/protocol/permission.ts';
import { formatRule } from '../../src/settings/rules.ts';
import { type Case, judge, rule, workspace } from './cases.ts';

const to = (url: string): Access => ({ kind: 'network', url });
const page = [to('https://docs.example.com/a')];
const asked: Access[] = [{ kind: 'question' }];

type Expected = `${Decision['behaviour']} ${Decision['by']}`;
const table = (cases: [string, Case, Expected][]) => {
  for (const [name, one, expected] of cases)
    test(`${name}: ${expected}`, () => {
      const { behaviour, by } = judge(one);
      expect(`${behaviour} ${by}`).toBe(expected);
    });
};

describe('requests to the network', () => {
  const expected: Record<PermissionMode, Decision['behaviour']> = {
    default: 'ask',
    acceptEdits: 'ask',
    plan: 'ask',
    auto: 'ask',
    dontAsk: 'deny',
    bypassPermissions: 'allow',
  };
  for (const [mode, behaviour] of Object.entries(expected))
    test(`${mode}: ${behaviour}`, () =>
      expect(judge({ accesses: page, mode: mode as PermissionMode }).behaviour).toBe(behaviour));

  table([
    ['the whole tool', { accesses: page, allow: ['WebFetch'] }, 'allow rule'],
    ['the host', { accesses: page, allow: ['WebFetch(domain:docs.example.com)'] }, 'allow rule'],
    ['all below a host', { accesses: page, allow: ['WebFetch(domain:*.example.com)'] }, 'allow rule'],
    ['every host', { accesses: page, allow: ['WebFetch(domain:*)'] }, 'allow rule'],
    [
      'a host is not those below it',
      { accesses: page, allow: ['WebFetch(domain:example.com)'] },
      'ask default',
    ],
    [
      'deny goes before allow',
      { accesses: page, allow: ['WebFetch'], deny: ['WebFetch(domain:*.example.com)'] },
      'deny rule',
    ],
    [
      'an ask rule holds under bypass',
      { accesses: page, ask: ['WebFetch(domain:docs.example.com)'], mode: 'bypassPermissions' },
      'ask rule',
    ],
    [
      'dontAsk runs what a rule allows',
      { accesses: page, allow: ['WebFetch(domain:docs.example.com)'], mode: 'dontAsk' },
      'allow rule',
    ],
    [
      'case, dots and punycode make no difference',
      { accesses: [to('https://BÜCHER.example./')], deny: ['WebFetch(domain:xn--bcher-kva.EXAMPLE)'] },
      'deny rule',
    ],
    [
      'a port that a rule names counts',
      { accesses: [to('http://a.example:81/')], allow: ['WebFetch(domain:a.example:82)'] },
      'ask default',
    ],
    [
      'a name and password in an address',
      { accesses: [to('https://docs.example.com@evil.example/')], allow: ['WebFetch'] },
      'deny default',
    ],
    [
      'what is no http(s) address',
      { accesses: [to('file:///etc/passwd')], mode: 'bypassPermissions' },
      'deny default',
    ],
    [
      'a denied host is denied to every tool',
      { tool: 'mcp__x__get', accesses: page, allow: ['mcp__x'], deny: ['WebFetch(domain:docs.example.com)'] },
      'deny rule',
    ],
    [
      'a rule for WebFetch as a whole says nothing of a search',
      { tool: 'WebSearch', accesses: page, allow: ['WebSearch'], deny: ['WebFetch'] },
      'allow rule',
    ],
    [
      'a granted host is granted to WebFetch only',
      { tool: 'WebSearch', accesses: page, allow: ['WebFetch(domain:*)'] },
      'ask default',
    ],
  ]);

  test('the question says when an address is private', () => {
    expect(judge({ accesses: [to('http://localhost:3000/x')] }).reason).toContain(
      'localhost:3000, which is this machine',
    );
    expect(judge({ accesses: page }).reason).toBe('no rule allows a request to docs.example.com');
  });
});

describe('questions to the user', () => {
  table([
    ['are asked', { accesses: asked }, 'ask default'],
    ['no rule answers them', { accesses: asked, allow: ['AskUserQuestion'] }, 'ask default'],
    ['bypass does not answer them', { accesses: asked, mode: 'bypassPermissions' }, 'ask default'],
    ['dontAsk denies them', { accesses: asked, mode: 'dontAsk' }, 'deny default'],
    ['a deny rule denies them', { accesses: asked, deny: ['AskUserQuestion'] }, 'deny rule'],
  ]);
});

describe('how far WebFetch may go', () => {
  const reach = (url: string, allow: string[], mode: PermissionMode = 'default') => {
    const rules = allow.map((text) => rule(text, 'allow'));
    const context = { ceiling: openCeiling, role: fullRole, mode, rules, workspace };
    const { behaviour, privately } = createReachJudge(context)(url);
    return `${behaviour} ${privately ? 'anywhere' : 'public'}`;
  };
  const cases: [url: string, allow: string[], mode: PermissionMode, expected: string][] = [
    ['http://localhost:3000/', ['WebFetch(domain:localhost)'], 'default', 'allow anywhere'],
    ['http://localhost:3000/', ['WebFetch(domain:localhost:3000)'], 'bypassPermissions', 'allow anywhere'],
    ['http://localhost:3000/', ['WebFetch(domain:localhost:4000)'], 'bypassPermissions', 'allow public'],
    ['http://localhost/', ['WebFetch(domain:*)'], 'default', 'allow public'],
    ['http://localhost/', ['WebFetch'], 'default', 'allow public'],
    ['http://localhost/', [], 'bypassPermissions', 'allow public'],
    ['http://nas.corp.example/', ['WebFetch(domain:nas.corp.example)'], 'dontAsk', 'allow anywhere'],
    // That it runs at all means that a person said yes to what they saw.
    ['http://127.0.0.1:8080/', [], 'default', 'ask anywhere'],
    ['http://looks.public.example/', [], 'default', 'ask public'],
    ['http://127.0.0.1:8080/', [], 'dontAsk', 'deny public'],
  ];
  for (const [url, allow, mode, expected] of cases)
    test(`${url} with ${allow.join(' ') || 'no rule'} in ${mode}: ${expected}`, () =>
      expect(reach(url, allow, mode)).toBe(expected));
});

test('"always allow" names the host, and the port where it is not a usual one', () => {
  const suggested = (tool: string, url: string) =>
    suggestRules({ tool, accesses: [to(url)], workspace }).map(formatRule);
  expect(suggested('WebFetch', 'https://Docs.Example.com/a?b')).toEqual([
    'WebFetch(domain:docs.example.com)',
  ]);
  expect(suggested('WebFetch', 'http://[::1]:81/')).toEqual(['WebFetch(domain:[::1]:81)']);
  expect(suggested('WebSearch', 'https://api.example.com/v1')).toEqual(['WebSearch']);
  expect(suggested('mcp__x__get', 'https://a.example/')).toEqual([]);
  expect(suggestRules({ tool: 'AskUserQuestion', accesses: asked, workspace })).toEqual([]);
});

test('a domain that cannot be read stops the rule', () => {
  for (const text of [
    'WebFetch(domain:https://a.example/)',
    'WebFetch(domain:)',
    'WebFetch(domain:a*.example)',
  ])
    expect(() => rule(text, 'deny')).toThrow('expected a host after domain:');
});
