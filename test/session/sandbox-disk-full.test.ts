import { test as bunTest, expect } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { needs, smallDisk } from '../support/index.ts';
import { open, place, recordsOf } from './support.ts';

const disk = smallDisk(2_048);

/** Needs both: a disk that can be filled, and a sandbox. */
const test = needs('bwrap') === bunTest ? disk.test : needs('bwrap');

test('PE6 a sandbox that could not write its files on a full disk refuses commands, and confines them when there is room', async () => {
  const at = place();
  const home = join(disk.path, 'home');
  mkdirSync(at.cwd, { recursive: true });
  const outside = join(disk.path, 'outside');
  const touch = call('Bash', { command: `touch ${outside}; touch inside; echo ended` });
  const { session, prompt, events } = await open(
    { ...at, home, environment: { ...at.environment, CADRE_HOME: home } },
    [touch, say('Refused.'), touch, say('Confined.')],
    { sandbox: true, permissionMode: 'bypassPermissions' },
  );
  await disk.whileFull(4_096, () => prompt('Go'));
  expect(existsSync(outside)).toBe(false);
  expect(existsSync(join(at.cwd, 'inside'))).toBe(false);
  expect(JSON.stringify(events)).not.toContain('not confined');
  await prompt('Again');
  const said = JSON.stringify(await recordsOf(session));
  expect(said).toContain('The command was not run: Cannot');
  expect(said).toContain('the disk is full');
  expect(existsSync(outside)).toBe(false);
  expect(existsSync(join(at.cwd, 'inside'))).toBe(true);
  await session.close();
});
