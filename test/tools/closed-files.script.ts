import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { textOf } from '../../src/protocol/message.ts';
import type { ToolContext } from '../../src/protocol/tool.ts';
import { coreTools, installedRipgrep } from '../../src/tools/index.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';

/** Searches a directory in which a file and a directory are closed to whoever searches. */
export default async function searchClosed(_: unknown[], directory: string): Promise<string> {
  writeFileSync(join(directory, 'open.txt'), 'needle\n');
  writeFileSync(join(directory, 'closed.txt'), 'needle\n');
  mkdirSync(join(directory, 'closed'));
  for (const name of ['closed.txt', 'closed']) chmodSync(join(directory, name), 0);
  const source = installedRipgrep();
  const grep = coreTools(source, '/nonexistent').find(({ name }) => name === 'Grep');
  const context: Partial<ToolContext> = {
    ...{
      signal: new AbortController().signal,
      clock: systemClock,
      judged: resolveRealPath,
      mayRead: () => true,
    },
    directory: { root: directory, current: directory, move() {} },
  };
  const running = grep?.run({ pattern: 'needle' }, context as ToolContext);
  for (;;) {
    const step = await running?.next();
    if (step?.done) return textOf(step.value.content);
  }
}
