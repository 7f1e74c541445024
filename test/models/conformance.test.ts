import { describe, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import {
  type ConformanceSubject,
  fakeProvider,
  modelConformance,
  scriptedModel,
  type Turn,
} from '../../src/testing/index.ts';

const everything = { signatures: true, errorFlag: true, cacheWrites: true };
const openaiHas = { signatures: false, errorFlag: false, cacheWrites: false };

const subjects: Record<string, (script: Turn[]) => Promise<ConformanceSubject>> = {
  async 'scripted model'(script) {
    const model = scriptedModel(script);
    return { model, received: () => model.requests, has: everything, close: async () => {} };
  },
  anthropic: (script) => overTheWire(script, 'anthropic/claude-sonnet-4-5', 'ANTHROPIC', everything),
  'openai-compatible': (script) => overTheWire(script, 'openai/some-model', 'OPENAI', openaiHas),
};

for (const [name, open] of Object.entries(subjects)) {
  describe(name, () => {
    for (const { name, run } of modelConformance()) test(name, () => run(open));
  });
}

async function overTheWire(
  script: Turn[],
  name: string,
  prefix: string,
  has: ConformanceSubject['has'],
): Promise<ConformanceSubject> {
  const provider = await fakeProvider({ script, apiKey: 'test-key' });
  const env = { [`${prefix}_BASE_URL`]: provider.url, [`${prefix}_API_KEY`]: 'test-key' };
  const resolved = resolveModel(name, { env, keys: memoryKeyStore(), clock: systemClock });
  if (!resolved.ok) throw new Error(resolved.problem.message);
  return {
    model: resolved.value,
    received: () => provider.received,
    has,
    async close() {
      await provider.close();
      provider.assertConsumed();
    },
  };
}
