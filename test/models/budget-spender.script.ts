/** A process of its own that spends from a shared ledger until it is told that nothing is left. */
import { systemClock } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { processMark } from '../../src/lib/processes/mark.ts';
import { openAccount } from '../../src/models/budget/account.ts';
import { fileLedger } from '../../src/models/budget/file-ledger.ts';
import { withBudget } from '../../src/models/budget/with-budget.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';

const [path = '', url = '', cap = '', agents = ''] = process.argv.slice(2);
const overrides = { 'anthropic/': { input: 1, output: 1 } };
const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key' };
const model = resolveModel('anthropic/claude-sonnet-4-5', {
  env,
  keys: memoryKeyStore(),
  clock: systemClock,
});
const account = openAccount({
  ledger: fileLedger(path),
  caps: { microUsd: Number(cap) },
  clock: systemClock,
  ids: randomIds,
  owner: processMark(process.pid),
  overrides,
});
if (!model.ok || !account.ok) throw new Error('the spender cannot begin');

const ends = await Promise.all(Array.from({ length: Number(agents) }, (_, index) => spend(`agent-${index}`)));
process.stdout.write(JSON.stringify({ answers: ends.reduce((sum, end) => sum + end, 0) }));

async function spend(agent: string): Promise<number> {
  if (!model.ok || !account.ok) return 0;
  const limited = withBudget(model.value, account.value.child(`${process.pid}-${agent}`), { overrides });
  for (let answers = 0; ; answers++) {
    const request = {
      system: [],
      tools: [],
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'spend '.repeat(100) }] }],
      maxOutputTokens: 4_000,
      thinking: { type: 'off' as const },
    };
    for await (const event of limited.stream(request, new AbortController().signal)) {
      if (event.type !== 'response_failed') continue;
      if (event.failure.kind === 'out_of_budget') return answers;
      throw new Error(event.failure.message);
    }
  }
}
