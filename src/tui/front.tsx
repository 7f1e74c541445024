import { type Instance, render } from 'ink';
import type { App } from './app.ts';
import type { Keys } from './keys/keys.ts';
import { Front, type Suspend, screenOptions } from './screens.tsx';
import { otherStream } from './streams.ts';
import type { Terminal } from './terminal.ts';

export interface FrontOptions {
  app: App;
  keys: Keys;
  terminal: Terminal;
  suspend: Promise<Suspend>;
  plain: boolean;
}

/**
 * Shows panels on the terminal's alternate screen. The conversation on the main one keeps its place and
 * continues there afterwards.
 */
export function openFront({ app, keys, terminal, suspend, plain }: FrontOptions): { close(): Promise<void> } {
  let shown: { instance: Instance; hide(): Promise<void> } | undefined;
  let turn: Promise<void> = Promise.resolve();
  const show = async () => {
    const resume = await (await suspend)();
    const screenKeys = terminal.openKeys();
    const instance = render(<Front app={app} keys={keys} />, {
      stdin: screenKeys.stream,
      stdout: otherStream(terminal.output),
      ...screenOptions,
      alternateScreen: !plain,
      isScreenReaderEnabled: plain,
    });
    const hide = async () => {
      instance.unmount();
      await instance.waitUntilExit();
      screenKeys.close();
      await resume();
    };
    shown = { instance, hide };
  };
  const look = async () => {
    const isWanted = app.state.panel !== undefined;
    if (isWanted === (shown !== undefined)) return;
    if (isWanted) return show();
    const before = shown;
    shown = undefined;
    await before?.hide();
  };
  const unsubscribe = app.subscribe(() => {
    if ((app.state.panel !== undefined) !== (shown !== undefined)) turn = turn.then(look);
  });
  return {
    async close() {
      unsubscribe();
      await turn;
      await shown?.hide();
      shown = undefined;
    },
  };
}
