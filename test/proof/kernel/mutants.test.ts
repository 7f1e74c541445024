import { expect, test } from 'bun:test';
import { mutate } from './hunt-mutant.ts';
import { layoutNames } from './layout.ts';
import { judgeMutants } from './mutants.data.ts';
import { readTrace } from './trace.ts';

for (const mutant of judgeMutants)
  test(`a mistake to be found by the oracle is still one that can be made: ${mutant.name}`, () => {
    expect(() => new Bun.Transpiler({ loader: 'ts' }).transformSync(mutate(mutant))).not.toThrow();
    expect(layoutNames).toContain(mutant.layouts[0] ?? '');
  });

test('what is opened to be read and written counts as both', () => {
  const kinds = (flags: string) => {
    const trace = [
      '1 openat(AT_FDCWD</>, "/marker/0", O_RDONLY) = -1 ENOENT (No such file or directory)',
      '1 clone(child_stack=NULL) = 2',
      '2 execve("/usr/bin/timeout", ["timeout"], 0x1) = 0',
      '2 execve("/bin/bash", ["bash"], 0x1) = 0',
      `2 openat(AT_FDCWD</ws>, ".env", ${flags}, 0666) = 3</ws/.env>`,
    ].join('\n');
    return readTrace(trace)
      .get(0)
      ?.events.map(({ kind, path }) => `${kind} ${path}`);
  };
  expect(kinds('O_RDWR|O_CREAT')).toEqual(['write /ws/.env', 'read /ws/.env']);
  expect(kinds('O_RDONLY')).toEqual(['read /ws/.env']);
  expect(kinds('O_WRONLY|O_CREAT|O_TRUNC')).toEqual(['write /ws/.env']);
  expect(kinds('O_RDWR|O_CREAT|O_EXCL')).toEqual(['write /ws/.env']);
});
