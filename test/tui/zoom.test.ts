import { expect, test } from 'bun:test';
import type { AgentEvent } from '../../src/protocol/index.ts';
import type { Drawing } from '../../src/tui/drawing.ts';
import { emptyLineCache, zoomLines } from '../../src/tui/panels/zoom.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { emptyView, reduce, type View } from '../../src/view/index.ts';

let coloured = 0;

const drawing: Drawing = {
  width: 60,
  theme: makeTheme({ level: '256', attributes: true }),
  highlighter: {
    tokens(code) {
      coloured += code.length;
      return undefined;
    },
  },
  home: '/home/me',
  places: [],
  now: 0,
  plain: false,
};

const part = 'Words.\n\n```ts\nconst one = 1;\nconst two = 2;\n```\n\n';

test('of an agent that streams a long answer each part is drawn once, and all of it is seen', () => {
  const cache = emptyLineCache();
  const long = part.repeat(500);
  let view = emptyView();
  coloured = 0;
  for (let at = 0; at < long.length; at += 70) {
    view = reduce(view, streamed(long.slice(at, at + 70)), 0);
    linesOf(view, cache);
  }
  const drawn = coloured;
  expect(linesOf(view, cache)).toEqual(linesOf(view, emptyLineCache()));
  expect(drawn).toBeLessThan(long.length * 2);
});

test('another width draws all of it anew', () => {
  const cache = emptyLineCache();
  const view = reduce(emptyView(), streamed(`${'word '.repeat(40)}\n\nrest`), 0);
  linesOf(view, cache);
  const narrow = { ...drawing, width: 20 };
  const [agent] = view.agents.values();
  if (!agent) throw new Error('an agent is expected');
  expect(zoomLines(view, agent, cache, narrow)).toEqual(zoomLines(view, agent, emptyLineCache(), narrow));
});

function linesOf(view: View, cache: ReturnType<typeof emptyLineCache>): string[] {
  const [agent] = view.agents.values();
  if (!agent) throw new Error('an agent is expected');
  return zoomLines(view, agent, cache, drawing);
}

function streamed(text: string): AgentEvent {
  const event = { type: 'block_delta', index: 0, delta: { type: 'text', text } } as const;
  return { agentId: 'a', parentToolUseId: null, type: 'model_streamed', event };
}
