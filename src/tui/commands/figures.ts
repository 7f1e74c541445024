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

/** The part of a session that tells what its next request is made of; it may be without. */
interface TellsContext {
  context(): {
    used: number;
    window: number;
    compactsAt?: number;
    isMeasured: boolean;
    parts: { name: string; tokens: number }[];
  };
}

const barWidth = 40;

export const contextCommand: SlashCommand = {
  name: 'context',
  description: 'how full the context is, and of what',
  run(_, desk) {
    const { used, window } = desk.app.state.view.session.context;
    const session = desk.session as Desk['session'] & Partial<TellsContext>;
    const report = session.context?.() ?? { used, window: window ?? 0, isMeasured: true, parts: [] };
    const most = Math.max(1, report.window);
    const line = (name: string, tokens: number) =>
      `${name.padEnd(10)} ${'█'.repeat(Math.ceil((tokens / most) * barWidth)).padEnd(barWidth, '░')} ${formatTokens(tokens)}`;
    desk.page(
      'Context',
      [
        `${formatTokens(report.used)} of ${formatTokens(report.window)}${report.isMeasured ? '' : ' (estimated)'}`,
        '',
        ...report.parts.map(({ name, tokens }) => line(name, tokens)),
        ...(report.compactsAt === undefined
          ? []
          : ['', `Compacted by itself at ${formatTokens(report.compactsAt)}.`]),
      ].join('\n'),
    );
  },
};
