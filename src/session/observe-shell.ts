import type { Tool } from '../protocol/index.ts';

/**
 * Looks at the edited files before and after a shell command, so that what it did to them can be undone. What was found
 * before it is not its work. Of a command in the background only the beginning is known here.
 */
export function observeShell(tool: Tool): Tool {
  if (tool.name !== 'Bash') return tool;
  return {
    ...tool,
    async *run(input, context) {
      const { history, toolUseId } = context;
      history.observe?.('outside', toolUseId);
      try {
        return yield* tool.run(input, context);
      } finally {
        history.observe?.('shell', toolUseId);
      }
    },
  };
}
