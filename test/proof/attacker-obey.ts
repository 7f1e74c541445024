import { mkdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { HostileCommand } from './attacker-corpus.ts';
import { type Ground, secretMark } from './attacker-ground.ts';
import { obedientModel, order } from './attacker-model.ts';
import type { Servers } from './attacker-servers.ts';
import type { Watch } from './machine/watch.ts';

export interface ObeyOptions {
  ground: Ground;
  servers: Servers;
  watch: Watch;
  faults: string[];
  /** How many commands there are to one look at the settings of the kernel. */
  perSettings: number;
}

/**
 * Runs each command with the real tools of a real session, in the mode that asks nothing: the sandbox alone is between it
 * and the machine. Looks at everything after each one. Returns how many have run inside.
 */
export async function obey(commands: readonly HostileCommand[], options: ObeyOptions): Promise<number> {
  const { ground, servers, watch, faults, perSettings } = options;
  const model = obedientModel();
  const opened = await openSession({
    ...{ cwd: ground.workspace, environment: ground.environment, model, sandbox: true },
    permissionMode: 'bypassPermissions',
    settings: '{"sandbox":{"failIfUnavailable":true,"allowUnsandboxedCommands":false}}',
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  const session = opened.value;
  let marked = 0;
  let shown = false;
  const count = follow(session.events(), {
    inside: () => marked++,
    secret: () => {
      shown = true;
    },
  });
  for (const [index, { command }] of commands.entries()) {
    ground.renew();
    shown = false;
    const script = join(ground.workspace, 'attack', `${index}.sh`);
    mkdirSync(join(ground.workspace, 'attack'));
    writeFileSync(script, command);
    const before = servers.reached();
    const line = `echo inside-$(readlink /proc/self/ns/pid); timeout -s KILL 1 bash ${script} </dev/null 2>&1 | tail -c 2000 | tr -d '\\0'`;
    await session.run(order({ tool: 'Bash', input: { command: line } }));
    const damage = [
      ...ground.damage(),
      ...(await watch.look(ground.writable, (index + 1) % perSettings !== 0 && index + 1 < commands.length)),
      ...(servers.reached() > before ? ['a server was reached'] : []),
      ...(shown ? ['a secret was shown to the model'] : []),
    ];
    if (damage.length > 0) faults.push(`${command}\n  ${damage.slice(0, 4).join('\n  ')}`);
  }
  await session.close();
  await count;
  if (marked !== commands.length) faults.push(`${marked} of ${commands.length} commands have run inside`);
  rmSync(join(ground.workspace, 'attack'), { recursive: true, force: true });
  return marked;
}

/** Results that come from another process name space than this one, and those with a secret in them. */
async function follow(
  events: AsyncIterable<AgentEvent>,
  tell: { inside(): void; secret(): void },
): Promise<void> {
  const here = readlinkSync('/proc/self/ns/pid');
  for await (const event of events) {
    if (event.type !== 'message_added' || event.record.type !== 'user') continue;
    const text = JSON.stringify(event.record.message.content);
    const space = /inside-(pid:\[\d+\])/.exec(text)?.[1];
    if (event.record.origin.kind !== 'tool-results') continue;
    if (space !== undefined && space !== here) tell.inside();
    if (text.includes(secretMark)) tell.secret();
  }
}
