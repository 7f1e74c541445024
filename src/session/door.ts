import { Door } from '../door/door.ts';
import type { DoorView } from '../door/frames.ts';
import { findSocket, sweepSockets } from '../door/socket-place.ts';
import { listenLocally } from '../lib/local-socket/local-socket.ts';
import type { SessionCommands } from './commands.ts';
import type { Kernel } from './kernel.ts';
import { isOpen } from './left-files.ts';
import type { SessionFeature } from './opening.ts';
import type { SessionPorts } from './session-ports.ts';

/**
 * The door of a live session (SE4): a private socket for other programs of the same user. A replay has none. A session
 * whose door cannot be opened works without it.
 */
export function doorFeature(commands: SessionCommands, ports: DoorPorts): SessionFeature {
  return {
    name: 'door',
    open(kernel) {
      if (kernel.tape?.isReplay) return {};
      const { id, place, events } = kernel;
      const { home } = place.layout;
      const door = new Door({
        ...{ sessionId: id, events, ...place.outside },
        send: (command) => commands.send(command),
        describe: () => describeForClients(kernel, commands, ports),
      });
      let listening: ReturnType<typeof listenLocally> | undefined;
      return {
        ready() {
          // A process listens only while it holds the session's claim.
          sweepSockets(home, isOpen(home));
          const socket = findSocket({ home, sessionId: id, pid: process.pid });
          listening = listenLocally(socket, (connection) => door.accept(connection));
          void listening.then((opened) => {
            if (!opened.ok)
              events.noticeOnce(
                'debug',
                `Other processes cannot connect to this session. ${opened.problem.message}`,
              );
          });
        },
        async close() {
          const opened = await listening;
          if (opened?.ok) opened.value.close();
          door.close();
        },
      };
    },
  };
}

type DoorPorts = Pick<SessionPorts, 'lead' | 'prompts' | 'coordinator'>;

export function describeForClients(
  { id, place, log, tasks, questions }: Kernel,
  { state, pump }: SessionCommands,
  { lead, prompts, coordinator }: DoorPorts,
): DoorView {
  const { model, permissionMode, suspended, effort, contextWindow } = lead;
  return {
    ...{ sessionId: id, cwd: place.cwd, state, model, permissionMode, effort, contextWindow },
    transcript: log.path,
    tasks: tasks.list(),
    questions: questions.approvals.waiting().map(({ question }) => question),
    suspended,
    isLeadRunning: pump.isRunning,
    cost: lead.cost(),
    commands: prompts.commands(),
    scratchpad: coordinator.scratchpad ?? null,
  };
}
