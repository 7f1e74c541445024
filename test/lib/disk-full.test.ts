import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../../src/lib/files/atomic.ts';
import { openJsonlWriter } from '../../src/lib/jsonl/jsonl.ts';
import { smallDisk, temporaryDirectory } from '../support/index.ts';

const disk = smallDisk(64);

disk.test('on a full disk an atomic write leaves the old content and nothing else', async () => {
  const path = join(disk.path, 'settings.json');
  writeFileSync(path, 'old');
  await disk.whileFull(8192, () => {
    const result = writeAtomic(path, 'n'.repeat(20_000));
    expect(result).toMatchObject({
      ok: false,
      problem: {
        message: `Cannot write ${path}: the disk is full (ENOSPC).`,
        hint: expect.stringContaining('Free'),
      },
    });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(disk.path).sort()).toEqual(['filler', 'settings.json']);
  });
  expect(writeAtomic(path, 'n'.repeat(20_000)).ok).toBe(true);
});

disk.test('on a full disk an append leaves no half line, and goes on when there is room', async () => {
  const path = join(disk.path, 'log.jsonl');
  const opened = openJsonlWriter(path, 'create');
  if (!opened.ok) throw new Error(opened.problem.message);
  const writer = opened.value;
  writer.append({ first: 1 });
  const before = readFileSync(path);
  await disk.whileFull(4096, () => {
    const result = writer.append({ text: 'x'.repeat(20_000) });
    expect(result).toMatchObject({
      ok: false,
      problem: { message: `Cannot write ${path}: the disk is full (ENOSPC).` },
    });
    expect(readFileSync(path)).toEqual(before);
  });
  expect(writer.append({ last: 1 }).ok).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('{"first":1}\n{"last":1}\n');
  writer.close();
});

test('under a file-size limit every append is whole or not there, whichever write meets the limit', () => {
  const work = temporaryDirectory().path;
  const script = join(import.meta.dir, 'size-limit.script.ts');
  const child = spawnSync('bash', ['-c', 'ulimit -f 2; exec "$@"', 'bash', process.execPath, script, work], {
    encoding: 'utf8',
  });
  expect(child.stderr).toBe('');
  const seen = JSON.parse(child.stdout);
  expect(seen.bad).toEqual([]);
  expect(seen.refused).toBeGreaterThan(50);
  expect(seen.message).toMatch(/^Cannot write .*\.jsonl: the file would be larger than allowed \(EFBIG\)\.$/);
});

test('under a file-size limit an atomic write leaves the old content and nothing else', () => {
  const path = join(temporaryDirectory().path, 'settings.json');
  writeFileSync(path, 'old');
  const code = `import { writeAtomic } from ${JSON.stringify(join(import.meta.dir, '../../src/lib/files/atomic.ts'))};
    console.log(JSON.stringify(writeAtomic(process.argv[1], 'x'.repeat(5000))));`;
  const child = spawnSync(
    'bash',
    ['-c', 'ulimit -f 1; exec "$@"', 'bash', process.execPath, '-e', code, path],
    {
      encoding: 'utf8',
    },
  );
  expect(JSON.parse(child.stdout)).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining(path) },
  });
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(join(path, '..'))).toEqual(['settings.json']);
});
