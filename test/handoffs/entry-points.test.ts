import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { handOffForScript } from '../../src/handoffs/script-handoff.ts';
import { writeBuiltInFiles } from '../../src/handoffs/write-files.ts';
import { temporaryDirectory } from '../support/index.ts';
import { answerByPhase, builtInSetup, fakeRun, placeFiles, written } from './support.ts';

describe('HO3 handoff() of a script', () => {
  const request = { task_id: 'a', phase: 'write', context: { feature: 'x' }, instructions: 'Go.' };

  test('returns the response as data', async () => {
    const end = await handOffForScript(fakeRun(answerByPhase), await builtInSetup(), request, {
      label: 'writing',
    });
    expect(end).toMatchObject({ kind: 'answered', response: { findings: written.findings, phase: 'write' } });
  });

  test.each([
    [request, { tools: ['Bash'] }, 'tools'],
    [{ ...request, phase: 'deploy' }, {}, 'phase: expected research, write, validate'],
    [null, {}, 'phase: expected'],
    [{ phase: 'write' }, {}, 'task_id'],
  ])('refuses %j with %j before anything is started', async (given, options, error) => {
    const run = fakeRun(answerByPhase);
    const end = await handOffForScript(run, await builtInSetup(), given, options);
    expect(end.kind === 'refused' && end.errors.join()).toContain(error);
    expect(run.calls).toEqual([]);
  });
});

describe('HO2 init', () => {
  test('writes every file once, keeps what a user changed, and replaces it only when told', () => {
    using directory = temporaryDirectory();
    const place = join(directory.path, '.cadre/sub-agents');
    const write = (replaces = false) => {
      const done = writeBuiltInFiles(place, directory.path, replaces);
      return done.ok ? done.value.map(({ what }) => what) : [done.problem.message];
    };
    expect(write()).toEqual(Array.from({ length: 14 }, () => 'written'));
    const file = join(place, 'profiles/writer.md');
    writeFileSync(file, 'mine');
    expect(write().filter((what) => what !== 'unchanged')).toEqual(['kept']);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(write(true).filter((what) => what !== 'unchanged')).toEqual(['replaced']);
  });

  test('what it writes is read back as it was, from the repository once trusted', async () => {
    using directory = temporaryDirectory();
    const { root, load } = placeFiles(directory.path, {});
    writeBuiltInFiles(join(root, '.cadre/sub-agents'), root, false);
    const { templates, profiles, broken } = await load(true);
    expect(broken).toEqual([]);
    expect([...templates.values(), ...profiles.values()].every(({ source }) => source === 'project')).toBe(
      true,
    );
  });

  test('a link that leads out of the repository is not followed', () => {
    using directory = temporaryDirectory();
    const [root, outside] = [join(directory.path, 'repo'), join(directory.path, 'outside')];
    for (const path of [root, outside]) mkdirSync(path);
    symlinkSync(outside, join(root, '.cadre'));
    const done = writeBuiltInFiles(join(root, '.cadre/sub-agents'), root, true);
    expect(!done.ok && done.problem.message).toContain('leads out of');
  });
});
