/** Gives the agent a tool of your own. The model is scripted, so that it runs without a key. */
import { defineTool, errorResult, openSession, textResult } from 'cadre';
import { call, expecting, say, scriptedModel } from 'cadre/testing';
import { z } from 'zod';

const prices = new Map([['apple', 120]]);

const price = defineTool({
  name: 'Price',
  description: 'Looks up the price of a product, in cents.',
  schema: z.object({ product: z.string().describe('Name of the product, in the singular') }),
  // A call's access is judged before it runs. This one touches neither files nor the shell, so the user is not asked.
  access: () => [{ kind: 'none' }],
  // It changes nothing, so several calls may run side by side.
  concurrent: () => true,
  summary: (input) => input.product,
  async *run(input, context) {
    yield { text: 'Looking it up' };
    if (context.signal.aborted) return errorResult('Interrupted.');
    const cents = prices.get(input.product);
    // An expected failure is a result: the model reads it and continues.
    return cents === undefined
      ? errorResult(`No price for ${input.product}.`)
      : textResult(`${cents}`, { cents });
  },
});

const model = scriptedModel([
  call('Price', { product: 'apple' }),
  expecting({ toolResult: '120' }, call('Price', { product: 'moon' })),
  expecting({ isError: true }, say('An apple is 1.20, the moon is not for sale.')),
]);
const opened = await openSession({ model, tools: [], ownTools: [price], persist: false });
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const outcome = await opened.value.run('What do an apple and the moon cost?');
console.log(`${outcome.kind}: ${outcome.text}`);
await opened.value.close();
model.assertConsumed();
