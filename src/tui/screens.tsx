import { Static, Text, useApp, useCursor, useInput, usePaste } from 'ink';
import { createElement, memo, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { App } from './app.ts';
import { readKeys } from './editor/index.ts';
import type { Keys } from './keys/keys.ts';
import { panelLines } from './panels/draw.ts';
import { emptyLineCache } from './panels/zoom.ts';
import { frame } from './screen/frame.ts';
import type { Drawn } from './screen/prompt-lines.ts';
import { formatTextMark } from './streams.ts';

/**
 * The app decides how often it draws. Ink's own limit is far above that: with both at the same pace, every second
 * frame would come slightly too early for Ink and wait for the next one.
 */
export const screenOptions = {
  exitOnCtrlC: false,
  interactive: true,
  incrementalRendering: true,
  maxFps: 120,
} as const;

export interface ScreenProps {
  app: App;
  keys: Keys;
}

/** Hands the terminal over for a while; the returned function takes it back. */
export type Suspend = () => Promise<() => Promise<void>>;

/** The conversation: finished text scrolls with the terminal, and the moving part is below it. */
export function Main({ app, keys, ready }: ScreenProps & { ready(suspend: Suspend): void }) {
  const state = useSyncExternalStore(app.subscribe, app.behind);
  const { suspendTerminal } = useApp();
  useEffect(() => {
    ready(async () => {
      app.cover();
      const suspension = await suspendTerminal();
      return async () => {
        await suspension.resume();
        app.uncover();
      };
    });
  }, [app, ready, suspendTerminal]);
  useKeys(keys);
  // Static uses only a list's length and end. The text replaces its mark on the way to the terminal.
  return (
    <>
      <Static items={state.written as unknown as number[]}>
        {(number) => <Text key={number}>{formatTextMark(number)}</Text>}
      </Static>
      <Lines drawn={frame(state, app.drawing(state))} />
    </>
  );
}

/** A panel, on a separate screen. */
export function Front({ app, keys }: ScreenProps) {
  const state = useSyncExternalStore(app.subscribe, app.current);
  const cache = useMemo(emptyLineCache, []);
  useKeys(keys);
  if (!state.panel) return null;
  return <Lines drawn={panelLines(state, state.panel, cache, app.drawing(state))} />;
}

function useKeys(keys: Keys): void {
  useInput((input, ink) => {
    for (const key of readKeys(input, ink)) keys.press(key);
  });
  usePaste((text) => keys.paste(text));
}

/** Lines already laid out; Ink only handles the cursor. */
function Lines({ drawn }: { drawn: Drawn }) {
  const { setCursorPosition } = useCursor();
  setCursorPosition(drawn.cursor);
  return <Block text={drawn.lines.map((line) => (line === '' ? ' ' : line)).join('\n')} />;
}

/**
 * One text exactly as large as its lines. Ink would measure a `Text` and caches the last eight thousand texts that it
 * measured: with whole screens, sixty megabytes. It does not measure text with a given size.
 */
export const Block = memo(function Block({ text }: { text: string }) {
  const style = { ...givenSize, height: text.split('\n').length };
  return createElement('ink-text', { style }, text);
});

const givenSize = { width: '100%', flexShrink: 0, textWrap: 'truncate' };
