import { expect, test } from 'bun:test';
import type { Rule } from '../../../src/protocol/permission.ts';
import { collectOrderRules, renderOrderRules } from '../../../src/session/remote/job-rules.ts';

const rule = (
  behaviour: Rule['behaviour'],
  tool: string,
  specifier?: string,
  base = '/home/u/app',
): Rule => ({
  ...{ behaviour, tool, base, layer: 'user', source: 'settings.json' },
  ...(specifier === undefined ? {} : { specifier }),
});

test('what a session denies and asks about holds in the checkout of a job, allow rules stay', () => {
  const rules = [
    rule('deny', 'WebFetch'),
    rule('deny', 'Bash', 'rm:*'),
    rule('deny', 'Read', '/secrets/**', '/home/u/app/sub'),
    rule('ask', 'Edit', '//home/u/app/ci/**'),
    rule('deny', 'Read', '~/.ssh/**'),
    rule('deny', 'Read', '/x', '/etc'),
    rule('allow', 'Bash', 'npm test'),
  ];
  const written = renderOrderRules(collectOrderRules(rules, '/home/u/app'), '/srv/job');
  expect(JSON.parse(written)).toEqual({
    permissions: {
      deny: ['WebFetch', 'Bash(rm:*)', 'Read(//srv/job/sub/secrets/**)', 'Read(~/.ssh/**)', 'Read(//etc/x)'],
      ask: ['Edit(//srv/job/ci/**)'],
    },
  });
});
