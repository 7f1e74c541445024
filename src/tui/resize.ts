import type { App } from './app.ts';
import type { Terminal } from './terminal.ts';

const clearScreen = '\u001b[2J\u001b[H';

/**
 * Another width: the terminal has broken the lines that were there in its own way, so that nothing on the screen is where
 * it was. The screen is cleared, and the end of the conversation written anew. What has scrolled away stays as it is.
 */
export function watchSize(app: App, terminal: Terminal, forget: () => void): { close(): void } {
  const changed = () => {
    const { columns, rows } = terminal;
    const before = app.state;
    if (columns === before.columns && rows === before.rows) return;
    const isNarrow = columns !== before.columns && !before.panel && !app.look.plain;
    if (!isNarrow) return app.change({ columns, rows });
    forget();
    app.resize(columns, rows);
    terminal.write(`${clearScreen}${app.redrawn(rows)}\n`);
    app.change({});
  };
  terminal.output.on('resize', changed);
  return { close: () => void terminal.output.off('resize', changed) };
}
