import type { ServerStatus } from '../../mcp/status.ts';
import type { Desk } from '../desk.ts';
import type { WorkState } from '../screen/work-table.ts';
import type { PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';

export const mcpCommand: SlashCommand = {
  name: 'mcp',
  description: 'MCP servers: their tools, connect, log in, disable',
  run: (_, desk) => openServers(desk),
};

const states: Readonly<Record<ServerStatus['status'], string>> = {
  pending: 'connecting',
  connected: 'connected',
  failed: 'failed',
  'needs-auth': 'needs login',
  disabled: 'disabled',
};

const signs: Readonly<Record<ServerStatus['status'], WorkState>> = {
  pending: 'queued',
  connected: 'done',
  failed: 'failed',
  'needs-auth': 'asking',
  disabled: 'stopped',
};

function openServers(desk: Desk, said?: string, selected = 0): void {
  const session = desk.own();
  if (!session) return;
  const servers = session.mcp().status();
  const find = (row: PickRow | undefined) => servers.find(({ name }) => name === row?.value);
  const act = (work: (desk: Desk, server: ServerStatus) => Promise<string>) => (row: PickRow | undefined) => {
    const server = find(row);
    if (server) void showAfter(desk, servers.indexOf(server), work(desk, server));
  };
  desk.open({
    kind: 'pick',
    title: 'MCP servers\nTo add one: cadre mcp add NAME -- COMMAND, or cadre mcp add NAME https://…',
    rows: servers.map(describeServer),
    selected: Math.min(selected, Math.max(0, servers.length - 1)),
    empty: 'None configured.',
    verb: 'shows its tools',
    staysOpen: true,
    ...(said === undefined ? {} : { said }),
    actions: [
      { key: 'r', does: 'connects again', isForRow: true, run: act(connect) },
      {
        key: 'l',
        does: 'logs in',
        isForRow: true,
        fits: (row) => find(row)?.status === 'needs-auth',
        run: act(logIn),
      },
      {
        key: 'd',
        does: 'enables it',
        isForRow: true,
        fits: (row) => find(row)?.status === 'disabled',
        run: act(toggle),
      },
      { key: 'd', does: 'disables it', isForRow: true, run: act(toggle) },
    ],
    pick: (row) => {
      const server = find(row);
      if (server) openTools(desk, server);
    },
  });
}

function describeServer({
  name,
  status,
  scope,
  source,
  error,
  serverInfo,
  tools,
  withheld,
}: ServerStatus): PickRow {
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  return {
    value: name,
    label: name,
    state: signs[status],
    note: [states[status], ...(status === 'connected' ? [count] : []), scope].join(' · '),
    preview: [
      name,
      '',
      `State:  ${states[status]}`,
      ...(error === undefined ? [] : [`Reason: ${error}`]),
      ...(serverInfo ? [`Server: ${serverInfo.name} ${serverInfo.version}`] : []),
      `From:   ${scope}, ${source}`,
      ...(tools.length > 0 ? ['', `Tools:  ${tools.map((tool) => tool.name).join(', ')}`] : []),
      ...(withheld ? ['', `Disabled, changed since you approved them: ${withheld.join(', ')}`] : []),
    ].join('\n'),
  };
}

function openTools(desk: Desk, { name, tools, withheld = [] }: ServerStatus): void {
  const under = desk.app.state.panel;
  desk.open({
    kind: 'pick',
    title: `Tools of the MCP server ${name}`,
    rows: [
      ...tools.map((tool) => ({
        value: tool.name,
        label: tool.name,
        note: `${tool.readOnly ? 'read-only · ' : ''}${tool.description.split('\n')[0] ?? ''}`,
        preview: `${tool.name}${tool.readOnly ? ' (read-only)' : ''}\n\n${tool.description}`,
      })),
      ...withheld.map((tool) => ({
        value: tool,
        label: tool,
        note: 'disabled: changed since you approved it',
        preview: `${tool}\n\nDisabled: changed since you approved it. cadre mcp test ${name} --approve shows the change.`,
      })),
    ],
    selected: 0,
    empty: 'It has no tools, or is not connected.',
    verb: 'opens it',
    staysOpen: true,
    ...(under ? { under } : {}),
    pick: ({ label, preview = '' }) => {
      const list = desk.app.state.panel;
      const text = preview.slice(preview.indexOf('\n')).trimStart();
      desk.open({ kind: 'page', title: label, text, down: 0, ...(list ? { under: list } : {}) });
    },
  });
}

/** What is done takes a while: the list says so, and shows the result if it is still open. */
async function showAfter(desk: Desk, selected: number, work: Promise<string>): Promise<void> {
  openServers(desk, 'Working …', selected);
  const said = await work;
  const { panel } = desk.app.state;
  if (panel?.kind === 'pick' && panel.title.startsWith('MCP servers')) openServers(desk, said, selected);
  else desk.hint(said);
}

async function connect(desk: Desk, { name }: ServerStatus): Promise<string> {
  const session = desk.own();
  if (!session) return '';
  const pool = await session.mcp().openPool();
  const done = await pool.reconnect(name);
  return done.ok ? `${name} is connected.` : done.problem;
}

async function toggle(desk: Desk, { name, status }: ServerStatus): Promise<string> {
  const session = desk.own();
  if (!session) return '';
  const pool = await session.mcp().openPool();
  const done = await pool.toggle(name, status === 'disabled');
  if (!done.ok) return done.problem;
  return status === 'disabled' ? `${name} is enabled.` : `${name} is disabled in this session.`;
}

/** The login talks to the user itself: an address to open, and ctrl-c to give up. */
async function logIn(desk: Desk, server: ServerStatus): Promise<string> {
  const code = await desk.world.runHere(['mcp', 'login', server.name]);
  if (code !== 0) return `Not logged in to ${server.name}: cadre mcp login ${server.name} says why.`;
  return connect(desk, server);
}
