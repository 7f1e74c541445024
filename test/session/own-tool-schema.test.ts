import { expect, test } from 'bun:test';
import { z } from 'zod';
import { form } from '../../src/lib/form/form.ts';
import { defineTool, type InputSchema, textResult } from '../../src/protocol/tool.ts';
import { poolTools } from '../../src/session/lead/tool-pool.ts';

function toolWith(schema: InputSchema) {
  return defineTool({
    name: 'Own',
    description: 'Does nothing.',
    schema,
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    summary: () => '',
    // biome-ignore lint/correctness/useYield: it is over at once
    async *run() {
      return textResult('');
    },
  });
}

test("a program's tool may have a zod schema or a form; one that cannot be described is refused by name", () => {
  for (const schema of [z.object({}), form.object({})])
    expect(poolTools([], [toolWith(schema)], undefined, []).ok).toBe(true);
  const old = { ...form.object({}), toJSONSchema: undefined } as unknown as InputSchema;
  expect(poolTools([], [toolWith(old)], undefined, [])).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('Own'), hint: expect.stringContaining('zod 4.2') },
  });
});
