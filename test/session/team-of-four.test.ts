import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setStage } from '../../src/commands/demo/stage.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { AgentEvent, Question } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import { openBoard } from '../../src/team/board/board.ts';
import { listMail } from '../../src/team/mail/list-mail.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { emptyView, reduceAll } from '../../src/view/index.ts';
import { newPlace } from '../cli/support.ts';
import { needs } from '../support/index.ts';

const gitTest = needs('git');

/** Ends when the lead has said its last word. */
async function playTeam() {
  const place = newPlace();
  const stage = await setStage(place.userHome, process.env, 'teams');
  if (!stage.ok) throw new Error(stage.problem.message);
  const { options, model, repository, prompt, answer } = stage.value;
  const questions: Question[] = [];
  const opened = await openSession({
    ...options,
    onQuestion(question) {
      questions.push(question);
      return answer(question);
    },
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  const session = opened.value;
  const events: AgentEvent[] = [];
  const read = (async () => {
    for await (const event of session.events()) events.push(event);
  })();
  session.send({ type: 'prompt', content: prompt });
  await session.finished(AbortSignal.timeout(60_000));
  const tasks = session.tasks();
  const leases = session.leases();
  await session.close();
  await read;
  model.assertConsumed();
  const team = locateTeam(join(place.userHome, 'home'), 'degrees');
  return { repository, events, questions, tasks, leases, team };
}

gitTest(
  'TM1 TM5 TM6 TM8 PL3 PE4 a team of four builds a feature by the board, and who said what can be read afterwards',
  async () => {
    const { repository, events, questions, tasks, leases, team } = await playTeam();
    const run = (file: string, ...args: string[]) =>
      spawnSync(file, args, { cwd: repository, encoding: 'utf8' });

    // The feature works, and is committed.
    expect(run('sh', 'test.sh').stdout.match(/^ok/gm)).toHaveLength(4);
    expect(run('git', 'status', '--porcelain').stdout).toBe('');
    expect(run('git', 'log', '-1', '--format=%s').stdout).toBe('Fix Celsius, add Kelvin\n');

    // The board: all done, each by its owner, none begun before what it waits for was done.
    const board = openBoard({ directory: team.board, machine: systemMachine, clock: systemClock });
    const items = board.list();
    board.close();
    expect(
      Object.fromEntries(items.map(({ subject, owner, status }) => [subject, `${owner} ${status}`])),
    ).toEqual({
      'Fix Celsius': 'fixer completed',
      'Add Kelvin': 'kelvin completed',
      'Describe the units': 'writer completed',
      'Test everything': 'tester completed',
    });
    const steps = events.flatMap((event) =>
      event.type === 'board_changed' && event.item.status !== 'pending'
        ? [`${event.item.subject} ${event.item.status}`]
        : [],
    );
    expect([...new Set(steps)]).toEqual(
      ['Fix Celsius', 'Add Kelvin', 'Describe the units', 'Test everything'].flatMap((subject) => [
        `${subject} in_progress`,
        `${subject} completed`,
      ]),
    );

    // The permission was asked for with the asker's badge.
    expect(questions.map(({ asker, toolName }) => [asker.member, toolName])).toEqual([
      ['writer@degrees', 'Bash'],
    ]);

    // Who said what, from the files.
    const mail = listMail(team, systemMachine);
    if (!mail.ok) throw new Error(mail.problem.message);
    const said = (kind: string) =>
      mail.value.flatMap(({ message }) => (message.kind === kind ? [`${message.from} → ${message.to}`] : []));
    const names = ['fixer', 'kelvin', 'writer', 'tester'];
    expect(said('broadcast')).toEqual(names.map((name) => `team-lead → ${name}`));
    expect(said('plan_approval_request')).toEqual(['kelvin → team-lead']);
    expect(said('plan_approval_response')).toEqual(['team-lead → kelvin']);
    expect(said('text')).toEqual(['fixer → kelvin']);
    expect(said('report')).toHaveLength(7);
    expect(said('shutdown_request').sort()).toEqual(names.map((name) => `team-lead → ${name}`).sort());
    expect(said('shutdown_response').sort()).toEqual(names.map((name) => `${name} → team-lead`).sort());
    // An idle notice waits for the next reason to run.
    expect(mail.value.filter(({ message, state }) => state !== 'read' && message.kind !== 'idle')).toEqual(
      [],
    );

    // The same from the events, as a screen shows it: nobody waits, and the broadcast is one message.
    const { team: shown } = reduceAll(emptyView(), events, 0);
    expect(shown.isOpen).toBe(false);
    expect(shown.mail.filter(({ kind }) => kind === 'broadcast').map(({ to }) => to.length)).toEqual([4]);
    const approved = events.findIndex(
      (event) =>
        event.type === 'mail_moved' && event.mail.kind === 'plan_approval_response' && event.state === 'read',
    );
    const later = events
      .slice(approved)
      .flatMap((event) => (event.type === 'team_changed' ? [event.team] : []));
    expect(later.at(-2)?.waits?.filter(({ kind }) => kind === 'mail' || kind === 'approval')).toEqual([]);

    // Nothing is left.
    expect(tasks.map(({ kind, status }) => `${kind} ${status}`)).toEqual(
      names.map(() => 'in_process_teammate completed'),
    );
    expect(leases).toEqual([]);
    const members = openMembers(team, systemMachine, systemClock);
    expect(members.list().filter(({ name, state }) => members.isAlive(name) || state !== 'ended')).toEqual(
      [],
    );
  },
  60_000,
);
