import type { ContextPart } from '../../session/session-views.ts';
import { formatTokens } from '../../view/index.ts';
import type { SlashCommand } from './command.ts';

export const costCommand: SlashCommand = {
  name: 'cost',
  description: 'tokens and cost of this session, by agent and model',
  async run(_, desk) {
    const { renderCost } = await import('../../models/budget/render-cost.ts');
    const { agents, session, lead } = desk.app.state.view;
    // From the session itself, up to this moment: its files may lack running requests, or not exist.
    const report = desk.session.cost();
    const rows = report.rows.map((row) => {
      const agent = row.agentId === null ? undefined : agents.get(row.agentId);
      return agent ? { ...row, agentType: agent.type, description: agent.description } : row;
    });
    const { id: sessionId } = desk.session;
    const first = lead.entries.find((entry) => entry.kind === 'prompt');
    const title = session.title ?? first?.text.text ?? '';
    desk.page('Cost', renderCost({ ...report, rows, sessionId, title }, desk.app.state.columns));
  },
};

const maxBarWidth = 40;

const partNames: Readonly<Record<ContextPart, string>> = {
  system: 'system',
  memory: 'memory',
  tools: 'tools',
  mcpTools: 'MCP tools',
  messages: 'messages',
};

export const contextCommand: SlashCommand = {
  name: 'context',
  description: 'how full the context is, and what fills it',
  run(_, desk) {
    const session = desk.own();
    if (!session) return;
    const report = session.context();
    const most = Math.max(1, report.window);
    const { look, state } = desk.app;
    // A name and a number are beside it; for a screen reader the number is enough.
    const room = look.plain ? 0 : Math.min(maxBarWidth, Math.max(0, state.columns - 28));
    const bar = (tokens: number) =>
      room === 0 ? '' : `${'█'.repeat(Math.ceil((tokens / most) * room)).padEnd(room, '░')} `;
    const line = (name: string, tokens: number) => `${name.padEnd(10)} ${bar(tokens)}${formatTokens(tokens)}`;
    desk.page(
      'Context',
      [
        `${formatTokens(report.used)} of ${formatTokens(report.window)}${report.isMeasured ? '' : ' (estimated)'}`,
        '',
        ...report.parts.map(({ name, tokens }) => line(partNames[name], tokens)),
        ...(report.compactsAt === undefined
          ? []
          : ['', `Compacted automatically at ${formatTokens(report.compactsAt)}.`]),
      ].join('\n'),
    );
  },
};
