import { formatTokens } from '../../view/index.ts';
import type { SlashCommand } from './command.ts';

export const costCommand: SlashCommand = {
  name: 'cost',
  description: 'what the session has used and cost, by agent and model',
  async run(_, desk) {
    const text = await desk.world.report(['cost', desk.session.id]);
    desk.page('Cost', text);
  },
};

const barWidth = 40;

export const contextCommand: SlashCommand = {
  name: 'context',
  description: 'how full the context is, and of what',
  run(_, desk) {
    const report = desk.session.context();
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
