import { expect, test } from 'bun:test';
import { errorResult, textResult } from '../../src/protocol/index.ts';
import { call, calls, say } from '../../src/testing/index.ts';
import { play, resultsOf, stage, testTool } from './support.ts';

function failing(name: string) {
  let runs = 0;
  const tool = testTool(name, {
    run: async () => {
      runs++;
      return errorResult(`${name} failed: no such text.`);
    },
  });
  return { tool, runs: () => runs };
}

const same = () => call('Fix', { text: 'a' });

test('G8 an identical failing call is not run a third time, and the model is told what to do instead', async () => {
  const fix = failing('Fix');
  const { agent, prompt } = stage([same(), same(), same(), same(), say('I give up.')], { tools: [fix.tool] });
  prompt('Go');
  const results = resultsOf((await play(agent)).events).map(({ text }) => text);
  expect(fix.runs()).toBe(2);
  expect(results.slice(0, 2)).toEqual(['Fix failed: no such text.', 'Fix failed: no such text.']);
  for (const text of results.slice(2)) {
    expect(text).toContain('Not run: this exact call has failed 2 times in a row');
    expect(text).toContain('Fix failed: no such text.');
    expect(text).toContain('Do something else');
  }
});

test('another input is another call', async () => {
  const fix = failing('Fix');
  const turns = ['a', 'b', 'c', 'd'].map((text) => call('Fix', { text }));
  const { agent, prompt } = stage([...turns, say('Done.')], { tools: [fix.tool] });
  prompt('Go');
  await play(agent);
  expect(fix.runs()).toBe(4);
});

test('after another call succeeded it may be tried again', async () => {
  const fix = failing('Fix');
  const look = testTool('Look', { run: async () => textResult('seen') });
  const { agent, prompt } = stage([same(), same(), call('Look', { text: 'x' }), same(), say('Done.')], {
    tools: [fix.tool, look],
  });
  prompt('Go');
  await play(agent);
  expect(fix.runs()).toBe(3);
});

test('after a word of the user it may be tried again', async () => {
  const fix = failing('Fix');
  const { agent, prompt } = stage(
    [
      same(),
      () => {
        prompt('I fixed it, try again.', 'steer');
        return same();
      },
      same(),
      say('Done.'),
    ],
    { tools: [fix.tool] },
  );
  prompt('Go');
  await play(agent);
  expect(fix.runs()).toBe(3);
});

test('calls that are denied or do not fit count as well', async () => {
  const fix = failing('Fix');
  const unknown = () => call('Nothing', { text: 'a' });
  const { agent, prompt } = stage([unknown(), unknown(), unknown(), say('Done.')], { tools: [fix.tool] });
  prompt('Go');
  const results = resultsOf((await play(agent)).events).map(({ text }) => text);
  expect(results[2]).toContain('Not run: this exact call');
});

test('identical calls of one message run side by side, and later ones are not run', async () => {
  const fix = failing('Fix');
  const { agent, prompt } = stage([calls([same(), same()]), same(), say('Done.')], { tools: [fix.tool] });
  prompt('Go');
  await play(agent);
  expect(fix.runs()).toBe(2);
});
