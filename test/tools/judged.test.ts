import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readTarget, writeTarget } from '../../src/knowledge/dream-target.ts';
import type { RealPath } from '../../src/lib/files/real-places.ts';
import { newPlanFile, readPlan, writePlan } from '../../src/modes/plan-file.ts';
import type { Tool } from '../../src/protocol/tool.ts';
import { coreTools, installedRipgrep } from '../../src/tools/index.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { runUnprivileged } from '../support/index.ts';
import { call, type TestContext, toolContextForTests } from './support.ts';

const tools = coreTools(installedRipgrep(), '/nonexistent');

function tool(name: string): Tool {
  const found = tools.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
}

/** A workspace whose directory `d` is judged, and becomes a link out of it before the tool runs. */
function swapped(): TestContext & { outside: string } {
  const known = new Map<string, RealPath>();
  const context = toolContextForTests({ judged: (path) => known.get(path) ?? resolveRealPath(path) });
  const outside = join(dirname(context.root), 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.txt'), 'needle SECRET\n');
  writeFileSync(join(outside, 'private.txt'), 'needle SECRET\n');
  context.write('d/a.txt', 'needle public\n');
  for (const path of ['d', 'd/a.txt', 'd/private.tx', 'd/new.txt', 'd/sub/new.txt'])
    known.set(join(context.root, path), join(context.root, path) as RealPath);
  renameSync(join(context.root, 'd'), join(context.root, 'was'));
  symlinkSync(outside, join(context.root, 'd'));
  return { ...context, outside };
}

describe('where a directory became a link after the judgement', () => {
  test('Read reads nothing and names nothing', async () => {
    const context = swapped();
    for (const name of ['d/a.txt', 'd/private.tx']) {
      const read = await call(tool('Read'), { file_path: name }, context);
      expect(read.isError).toBe(true);
      expect(read.text).not.toMatch(/SECRET|private\.txt/);
    }
  });

  test('Write and Edit write nothing', async () => {
    const context = swapped();
    for (const name of ['d/a.txt', 'd/new.txt', 'd/sub/new.txt'])
      expect((await call(tool('Write'), { file_path: name, content: 'x' }, context)).isError).toBe(true);
    const edit = { file_path: 'd/a.txt', old_string: 'needle', new_string: 'x' };
    expect((await call(tool('Edit'), edit, context)).isError).toBe(true);
    expect(readdirSync(context.outside).sort()).toEqual(['a.txt', 'private.txt']);
    expect(readFileSync(join(context.outside, 'a.txt'), 'utf8')).toBe('needle SECRET\n');
  });

  test('Grep and Glob find nothing behind it', async () => {
    const context = swapped();
    for (const output_mode of ['files_with_matches', 'content', 'count'])
      for (const path of ['d', 'd/a.txt']) {
        const { text } = await call(tool('Grep'), { pattern: 'needle', path, output_mode }, context);
        expect(text).not.toMatch(/SECRET|private|a\.txt:/);
      }
    expect((await call(tool('Glob'), { pattern: '*', path: 'd' }, context)).text).not.toContain('private');
  });
});

test('a path that the call was not judged for is not opened', async () => {
  const context = toolContextForTests({ judged: () => undefined });
  context.write('a.txt', 'needle\n');
  const inputs: [string, object][] = [
    ['Read', { file_path: 'a.txt' }],
    ['Write', { file_path: 'a.txt', content: 'x' }],
    ['Write', { file_path: 'new.txt', content: 'x' }],
    ['Edit', { file_path: 'a.txt', old_string: 'needle', new_string: 'x' }],
    ['Grep', { pattern: 'needle' }],
    ['Glob', { pattern: '*' }],
  ];
  for (const [name, input] of inputs) expect((await call(tool(name), input, context)).isError).toBe(true);
  expect(readdirSync(context.root)).toEqual(['a.txt']);
  expect(context.content('a.txt')).toBe('needle\n');
});

describe('Grep', () => {
  const grep = (input: object, context: TestContext) => call(tool('Grep'), input, context);

  test('does not quote an ignore file that is a link out of the workspace', async () => {
    const context = toolContextForTests();
    const outside = join(dirname(context.root), 'token');
    writeFileSync(outside, '{SECRET\n[SECRET\n');
    symlinkSync(outside, join(context.root, '.ignore'));
    context.write('a.txt', 'needle\n');
    for (const output_mode of ['files_with_matches', 'content', 'count']) {
      const { text } = await grep({ pattern: 'needle', output_mode }, context);
      expect(text).toContain('a.txt');
      expect(text).not.toContain('SECRET');
    }
    expect((await grep({ pattern: 'none' }, context)).text).toBe('No matches.');
  });

  test('puts a mark between the lines of files, however many there are', async () => {
    const context = toolContextForTests();
    const count = 40;
    for (let index = 0; index < count; index++) context.write(`f${index}.txt`, 'a\nneedle\nb\n');
    const { text } = await grep({ pattern: 'needle', output_mode: 'content', '-C': 1 }, context);
    const lines = text.split('\n');
    expect(lines.filter((line) => line === '--')).toHaveLength(count - 1);
    expect(lines).toHaveLength(4 * count - 1);
  });

  test('gives lines in the order of paths, and counts what it says it counts', async () => {
    const context = toolContextForTests();
    for (let index = 0; index < 600; index++)
      context.write(`d${index % 7}/f${String(index).padStart(3, '0')}.txt`, 'x needle\n');
    const counted = await grep({ pattern: 'needle', output_mode: 'count', head_limit: 1000 }, context);
    const lines = counted.text.split('\n');
    expect(lines).toHaveLength(600);
    expect(lines).toEqual([...lines].sort());
    const listed = await grep({ pattern: 'needle' }, context);
    expect(listed.text.split('\n')).toHaveLength(251);
    expect(listed.text).toEndWith('[250 of more than 300 files]');
  });

  test('names a file that is not text by its own name', async () => {
    const context = toolContextForTests();
    context.write('a.bin', 'needle\n\0\nneedle\n');
    const { text } = await grep({ pattern: 'needle', output_mode: 'content', path: 'a.bin' }, context);
    expect(text).toContain('a.bin');
    expect(text).not.toContain('/proc/');
  });

  test('says which files could not be read', async () => {
    const said = await runUnprivileged<string>(join(import.meta.dir, 'closed-files.script.ts'));
    expect(said).toContain('open.txt');
    expect(said).toContain('[Not everything could be searched: ');
    expect(said).toContain('closed.txt: permission denied');
    expect(said).toContain('closed: permission denied');
  });

  test('follows a link that was judged', async () => {
    const context = toolContextForTests();
    context.write('real/a.txt', 'needle\n');
    symlinkSync('real', join(context.root, 'link'));
    expect((await grep({ pattern: 'needle', path: 'link' }, context)).text).toBe('link/a.txt');
    expect(
      (await grep({ pattern: 'needle', path: 'link/a.txt', output_mode: 'content' }, context)).text,
    ).toBe('link/a.txt:1:needle');
  });
});

test('a file with other names keeps them, and its mode, when a person lets it be written', async () => {
  const context = toolContextForTests();
  const path = context.write('a.sh', 'old\n');
  chmodSync(path, 0o755);
  linkSync(path, join(context.root, 'b.sh'));
  await call(tool('Read'), { file_path: 'a.sh' }, context);
  await call(tool('Write'), { file_path: 'a.sh', content: 'n\n' }, context);
  expect(context.content('b.sh')).toBe('n\n');
});

describe('beside the tools', () => {
  test('a plan that became a link is not read, and none is written through a link', () => {
    const context = toolContextForTests();
    const plans = join(context.root, 'plans');
    const file = newPlanFile(plans, { token: () => 'x' } as never);
    const outside = join(dirname(context.root), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'token'), 'SECRET');
    symlinkSync(join(outside, 'token'), file);
    expect(JSON.stringify(readPlan(file))).not.toContain('SECRET');
    renameSync(plans, join(context.root, 'old'));
    symlinkSync(outside, plans);
    expect(writePlan(file, 'x').ok).toBe(false);
    expect(readdirSync(outside)).toEqual(['token']);
  });

  test('a memory file that leads out of the repository is neither shown to a dream nor changed by one', () => {
    const context = toolContextForTests();
    const outside = join(dirname(context.root), 'token');
    writeFileSync(outside, 'SECRET');
    symlinkSync(outside, join(context.root, 'AGENTS.md'));
    expect(readTarget(context.root, 'AGENTS.md').ok).toBe(false);
    const target = readTarget(context.root, 'notes/NEW.md');
    if (!target.ok) throw new Error(target.problem.message);
    expect(writeTarget(target.value, 'x').ok).toBe(true);
    expect(context.content('notes/NEW.md')).toBe('x');
  });
});
