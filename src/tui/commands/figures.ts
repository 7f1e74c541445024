import { formatTokens } from '../../view/index.ts';
import type { Desk } from '../desk.ts';
import type { SlashCommand } from './command.ts';

export const costCommand: SlashCommand = {
  name: 'cost',
  description: 'what the session has used and cost, by agent and model',
  async run(_, desk) {
    const text = await desk.world.report(['cost', desk.session.id]);
    desk.page('Cost', text);
  },
};

/** How full the context is, part by part, where the session can say it. */
export interface TellsContext {
  context(): Promise<{ text: string }> | { text: string };
}

export const contextCommand: SlashCommand = {
  name: 'context',
  description: 'how full the context is',
  async run(_, desk) {
    const { used, window } = desk.app.state.view.session.context;
    const session = desk.session as Desk['session'] & Partial<TellsContext>;
    const parts = session.context ? (await session.context()).text : '';
    const share =
      window === null ? '' : ` of ${formatTokens(window)} (${Math.round((used / window) * 100)}%)`;
    desk.page('Context', `${formatTokens(used)}${share}\n\n${parts}`.trimEnd());
  },
};
