import { describe, expect, test } from 'bun:test';
import type { Model } from '../../src/protocol/index.ts';
import {
  call,
  type FakeProvider,
  fakeProvider,
  modelConformance,
  say,
  think,
  together,
} from '../../src/testing/index.ts';
import { converse } from './conversation.ts';

/** What every wire with sealed thinking must keep. `endOfMessages` is what stands behind the history in a request. */
export function describeWire(modelAt: (provider: FakeProvider) => Model, endOfMessages: string): void {
  describe('conformance', () => {
    for (const { name, run } of modelConformance()) {
      test(name, () =>
        run(async (script) => {
          const provider = await fakeProvider({ script, apiKey: 'test-key' });
          return {
            model: modelAt(provider),
            received: () => provider.received,
            has: { signatures: true, errorFlag: false, cacheWrites: false },
            async close() {
              await provider.close();
              provider.assertConsumed();
            },
          };
        }),
      );
    }
  });

  test('P1: every request begins with the bytes of the one before it', async () => {
    const script = [
      together(think('First, look.', 'seal+/=1'), say('Looking. '), call('Read', { file_path: '/ä' })),
      together(call('Read', { file_path: '/b' }), call('Bash', { command: 'echo "x"\n' })),
      say('Done.'),
      together(think('', 'seal-of-nothing-shown'), say('Really done.')),
    ];
    await using provider = await fakeProvider({ script });
    await converse(modelAt(provider), script.length);
    provider.assertConsumed();
    const bodies = provider.requests.map(({ body }) => body.toString());
    for (const [before, body] of bodies.map((body, index) => [bodies[index - 1], body])) {
      if (before === undefined || body === undefined) continue;
      const end = before.indexOf(endOfMessages);
      expect(end).toBeGreaterThan(0);
      expect(body.startsWith(before.slice(0, end))).toBe(true);
      expect(body.endsWith(before.slice(end))).toBe(true);
    }
  });
}
