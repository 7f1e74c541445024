/** A process of the user's with one request to make, as soon as it is told to. Prints what happens to it. */
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { sharedPacer } from '../../src/models/pacer/pacer.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import { resolveModel } from '../../src/models/resolve.ts';

const [url = '', home = ''] = process.argv.slice(2);
const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key' };
const found = resolveModel('anthropic/claude-sonnet-4-5', {
  env,
  keys: memoryKeyStore(),
  clock: systemClock,
});
if (!found.ok) throw new Error(found.problem.message);
const model = withPacer(found.value, sharedPacer({ home, clock: systemClock, random: Math.random }));
console.log('ready');
await new Promise((resolve) => process.stdin.once('data', resolve));
const request = {
  system: [],
  tools: [],
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }],
  maxOutputTokens: 10,
  thinking: { type: 'off' as const },
};
for await (const event of model.stream(request, new AbortController().signal)) console.log(event.type);
process.exit(0);
