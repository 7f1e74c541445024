import { describe, expect, test } from 'bun:test';
import { judge, linksOf, shell } from './cases.ts';

const realPath = linksOf({ '/repo/q': '/usr/bin/rm', '/repo/g': '/usr/bin/git' });
const verdict = (command: string, deny: string) =>
  judge({
    accesses: [shell(command)],
    deny: [deny],
    allow: ['Bash'],
    mode: 'bypassPermissions',
    workspace: { realPath },
  }).behaviour;

describe('a rule about a program holds for a link to it', () => {
  for (const [command, deny] of [
    ['./q x', 'Bash(rm:*)'],
    ['/repo/q x', 'Bash(rm:*)'],
    ['cd src && ../q x', 'Bash(rm:*)'],
    ['timeout 5 ./q x', 'Bash(rm:*)'],
    ["bash -c './q x'", 'Bash(rm:*)'],
    ['./q -rf x', 'Bash(rm -rf *)'],
    ['./q x', 'Bash(r*)'],
    ['./g push', 'Bash(git push:*)'],
    ['./g -C . push', 'Bash(git push:*)'],
  ] as const)
    test(`${command} under ${deny}`, () => {
      expect(verdict(command, deny)).toBe('deny');
    });
});

describe('a line that gives the program of a rule another name is asked about', () => {
  for (const [command, deny] of [
    ['ln -s /bin/rm p; ./p x', 'Bash(rm:*)'],
    ['ln /bin/rm p && ./p x', 'Bash(rm:*)'],
    ['ln -s /usr/bin/git p; ./p push', 'Bash(git push:*)'],
    ['ln -sf ../../bin/rm p\n./p x', 'Bash(rm:*)'],
    ['cp /bin/rm p; ./p x', 'Bash(rm:*)'],
    ['ln -s /bin/{rm,ls} . ; ./rm x', 'Bash(rm:*)'],
    ['d=/bin/rm; ln -s $d p; ./p x', 'Bash(rm:*)'],
    ['ln -s /bin/RM p; ./p x', 'Bash(rm:*)'],
    ['cp /bin/[r]m q2 && ./q2 b.txt', 'Bash(rm:*)'],
    ['cp /bin/r? q && ./q x', 'Bash(rm:*)'],
    ['cp /b*/rm q && ./q x', 'Bash(rm:*)'],
    ['cp /*/?m q && ./q x', 'Bash(rm:*)'],
    ['cd /usr/bin && cp r? /repo/q; /repo/q x', 'Bash(rm:*)'],
    ['dd if=/bin/rm of=q; ./q x', 'Bash(rm:*)'],
    ['ln -s /bin/r[m] q; ./q x', 'Bash(rm:*)'],
    ['rsync /bin/rm q; ./q x', 'Bash(rm:*)'],
  ] as const)
    test(`${command} under ${deny}`, () => {
      expect(verdict(command, deny)).not.toBe('allow');
    });
});

test('other programs and other links stay free', () => {
  expect(verdict('./q x', 'Bash(mv:*)')).toBe('allow');
  expect(verdict('./g status', 'Bash(git push:*)')).toBe('allow');
  expect(verdict('ln -s a.txt b.txt; cat b.txt', 'Bash(rm:*)')).toBe('allow');
  expect(verdict('ln -s /bin/rm p', 'Bash(git:*)')).toBe('allow');
});
