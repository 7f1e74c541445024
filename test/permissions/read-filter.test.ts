import { expect, test } from 'bun:test';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import type { PermissionContext } from '../../src/permissions/context.ts';
import { readFilter } from '../../src/permissions/read-filter.ts';
import type { Rule } from '../../src/protocol/index.ts';

const deny = (specifier: string): Rule => ({
  behaviour: 'deny',
  tool: 'Read',
  specifier,
  layer: 'user',
  source: 'test',
  base: '/repo',
});

function filter(rules: Rule[]) {
  const context: PermissionContext = {
    ceiling: openCeiling,
    role: fullRole,
    mode: 'bypassPermissions',
    rules,
    workspace: {
      cwd: '/repo',
      directories: [],
      home: '/repo/home/.cadre',
      userHome: '/repo/home',
      realPath: (path) => path,
    },
  };
  return readFilter(context);
}

test('a search shows what may be read, also where reading it would be asked about', () => {
  expect(filter([])('/repo/src/a.ts')).toBe(true);
  expect(filter([])('/elsewhere/a.ts')).toBe(true);
});

test('a search does not find what a deny rule closes, at any depth', () => {
  const mayRead = filter([deny('.env')]);
  expect(mayRead('/repo/.env')).toBe(false);
  expect(mayRead('/repo/deep/down/.env')).toBe(false);
  expect(mayRead('/repo/.envelope')).toBe(true);
});

test('a search never finds our own keys', () => {
  expect(filter([])('/repo/home/.cadre/keys.json')).toBe(false);
});
