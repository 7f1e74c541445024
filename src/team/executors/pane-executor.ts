import { timestamp } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { processMark } from '../../lib/processes/mark.ts';
import { ownerVariable } from '../../lib/processes/sweep.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { locateTeam } from '../team-place.ts';
import {
  type ExecutedMember,
  formatAddress,
  type SpawnedTeammate,
  type TeammateExecutor,
  type TeammateSpec,
} from './executor.ts';
import { writeLaunch } from './launch.ts';
import type { OpenedPane, PaneBackend } from './pane-backend.ts';
import { endPane, findOwnPane, findRecord, isRunning } from './pane-life.ts';
import { formatPaneMark, identifyHome, paneVariable } from './pane-mark.ts';
import type { ProcessWorld } from './pane-process.ts';
import { type PaneRecord, removePaneFiles, writePaneRecord } from './pane-records.ts';
import { cleanLine } from './pane-text.ts';

export interface PaneWorld extends ProcessWorld {
  readonly ids: Ids;
  /** How Cadre is started: the program, and a script where there is one. */
  readonly program: readonly string[];
  /** Asks a member to end, by mail. */
  askToEnd(member: ExecutedMember, reason: string): Promise<Result<void>>;
}

/** Teammates in panes of a terminal: each is a session of its own, in its own process. */
export function paneExecutor(backend: PaneBackend, world: PaneWorld): TeammateExecutor {
  const find = (member: ExecutedMember) => findRecord(member, backend, world);
  /** The id of its pane, verified to be still this pane. */
  const locate = async (member: ExecutedMember): Promise<Result<string>> => {
    const record = find(member);
    const id = record && (await findOwnPane(record, backend, world));
    if (id !== undefined) return ok(id);
    return failure(`${formatAddress(member)} is not running.`, 'Start it again, or write to another member.');
  };
  const cannot = (verb: string) => failure(`${backend.type} cannot ${verb} a pane.`);
  return {
    type: backend.type,
    isAvailable: () => backend.isAvailable(),
    spawn: (spec) => spawnInPane(spec, backend, world),
    async sendMessage(member, text) {
      const id = await locate(member);
      return id.ok ? backend.send(id.value, cleanLine(text)) : id;
    },
    async terminate(member, reason) {
      return find(member) ? world.askToEnd(member, reason) : ok(undefined);
    },
    async kill(member) {
      const record = find(member);
      return record ? endPane(record, backend, world) : ok(undefined);
    },
    async isActive(member) {
      const record = find(member);
      if (!record) return false;
      const running = await isRunning(record, backend, world);
      if (!running) await endPane(record, backend, world);
      return running;
    },
    panes: {
      async title(member, title, colour) {
        const id = await locate(member);
        return id.ok ? backend.title(id.value, title, colour) : id;
      },
      async hide(member) {
        const id = await locate(member);
        return id.ok ? ((await backend.hide?.(id.value)) ?? cannot('hide')) : id;
      },
      async show(member) {
        const id = await locate(member);
        return id.ok ? ((await backend.show?.(id.value)) ?? cannot('show')) : id;
      },
    },
  };
}

async function spawnInPane(
  spec: TeammateSpec,
  backend: PaneBackend,
  world: PaneWorld,
): Promise<Result<SpawnedTeammate>> {
  const address = formatAddress(spec);
  const earlier = findRecord(spec, backend, world);
  if (earlier && (await isRunning(earlier, backend, world)))
    return failure(`${address} is already running.`, 'Choose another name, or end it first.');
  if (earlier) await endPane(earlier, backend, world);
  const record = draftRecord(spec, backend, world);
  const place = locateTeam(world.home, spec.team);
  const noted = writePaneRecord(place, record, world.machine);
  const written = noted.ok
    ? writeLaunch(place, { ...spec, format: 1, token: record.token }, world.machine)
    : noted;
  const opened = written.ok ? await backend.open(describeWish(spec, record, world)) : written;
  if (!opened.ok) {
    removePaneFiles(place, record.token, world.machine);
    return opened;
  }
  const complete = completeRecord(record, opened.value);
  // The pane can be found by its mark even so; without its id in the record it is ended rather than kept half known.
  const kept = writePaneRecord(place, complete, world.machine);
  if (!kept.ok) {
    await endPane(complete, backend, world);
    return kept;
  }
  return ok({
    agentId: spec.agentId,
    taskId: spec.taskId,
    pane: { executor: backend.type, id: opened.value.id },
    abort: () => void endPane(complete, backend, world),
  });
}

function draftRecord(spec: TeammateSpec, { type }: PaneBackend, world: PaneWorld): PaneRecord {
  const { machine, clock, ids } = world;
  return {
    format: 1,
    token: ids.token(16),
    ...{ team: spec.team, name: spec.name, sessionId: spec.sessionId },
    ...{ executor: type, id: null, openedAt: timestamp(clock) },
    opener: { ...machine.self(), ...machine.locality() },
  };
}

function completeRecord(record: PaneRecord, { id, pid }: OpenedPane): PaneRecord {
  return { ...record, id, ...(pid === undefined ? {} : { process: processMark(pid) }) };
}

/** Names, a path and a mark: everything else is in the launch file, which other users cannot read. */
function describeWish(spec: TeammateSpec, record: PaneRecord, { home, program }: PaneWorld) {
  const address = formatAddress(spec);
  const mark = formatPaneMark({ ...record, home: identifyHome(home) });
  return {
    command: [
      ...['/usr/bin/env', '-u', ownerVariable, `CADRE_HOME=${home}`, `${paneVariable}=${mark}`],
      ...[...program, '--team-member', address],
    ],
    title: address,
    ...{ cwd: spec.cwd, team: spec.team, colour: spec.colour, mark },
  };
}
