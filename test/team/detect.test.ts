import { expect, test } from 'bun:test';
import { ok } from '../../src/lib/result.ts';
import type { TeammateMode } from '../../src/protocol/team.ts';
import {
  chooseExecutor,
  openDetection,
  readTmuxPlace,
  type TerminalFacts,
} from '../../src/team/executors/detect.ts';

const inTmux = { TMUX: '/tmp/tmux-1000/default,4242,0', TMUX_PANE: '%3' };
const inIterm = { TERM_PROGRAM: 'iTerm.app', ITERM_SESSION_ID: 'w0t0p0:ABCD' };

test('TM3 without a terminal teammates run in this process, whatever the mode', () => {
  for (const mode of ['auto', 'tmux', 'iterm2', 'command', 'in-process'] as const)
    expect(choose(mode, { ...inTmux, ...inIterm }, ['tmux', 'it2'], false)).toEqual({ type: 'in-process' });
});

test('TM3 auto takes tmux inside tmux, even inside iTerm2', () => {
  expect(choose('auto', inTmux, ['tmux'])).toEqual({ type: 'tmux' });
  expect(choose('auto', { ...inTmux, ...inIterm }, ['tmux', 'it2'])).toEqual({ type: 'tmux' });
});

test('TM3 auto takes iTerm2 with it2, and tmux where it2 is missing', () => {
  expect(choose('auto', inIterm, ['tmux', 'it2'])).toEqual({ type: 'iterm2' });
  expect(choose('auto', inIterm, ['tmux'])).toEqual({ type: 'tmux' });
});

test('TM3 auto without panes says why, and how to get them', () => {
  expect(choose('auto', {}, ['tmux', 'it2'])).toEqual({
    type: 'in-process',
    reason: expect.stringContaining('start Cadre inside tmux'),
  });
  expect(choose('auto', {}, [])).toEqual({
    type: 'in-process',
    reason: expect.stringContaining('install tmux'),
  });
  expect(choose('auto', inIterm, [])).toEqual({
    type: 'in-process',
    reason: expect.stringContaining('pip install it2'),
  });
});

test('TM3 a mode that was asked for is not replaced by another: it fails with how to install it', () => {
  expect(choose('tmux', {}, [])).toContain('tmux is not installed');
  expect(choose('iterm2', inIterm, ['tmux'])).toContain('it2 is not installed');
  expect(choose('iterm2', inTmux, ['tmux', 'it2'])).toContain('not iTerm2');
  expect(choose('tmux', {}, ['tmux'])).toEqual({ type: 'tmux' });
  expect(choose('command', {}, [])).toEqual({ type: 'command' });
  expect(choose('in-process', inTmux, ['tmux'])).toEqual({ type: 'in-process' });
});

test('TM3 the terminal is looked at once, and the reason is given once', () => {
  let looks = 0;
  const detection = openDetection('auto', () => {
    looks++;
    return facts({}, ['tmux']);
  });
  expect(looks).toBe(0);
  expect(detection.takeReason()).toContain('without panes');
  expect(detection.takeReason()).toBeUndefined();
  expect(detection.choose()).toMatchObject({ ok: true, value: { type: 'in-process' } });
  expect(looks).toBe(1);
});

test('a place in tmux needs both variables, as tmux writes them', () => {
  expect(readTmuxPlace(inTmux)).toEqual({ socket: '/tmp/tmux-1000/default', pane: '%3' });
  for (const wrong of [
    { TMUX: inTmux.TMUX },
    { ...inTmux, TMUX: 'default' },
    { ...inTmux, TMUX_PANE: '3; rm' },
    {},
  ])
    expect(readTmuxPlace(wrong)).toBeUndefined();
});

function choose(
  mode: TeammateMode,
  environment: Record<string, string>,
  programs: string[],
  isInteractive = true,
) {
  const chosen = chooseExecutor(mode, facts(environment, programs, isInteractive));
  return chosen.ok ? chosen.value : chosen.problem.message;
}

function facts(environment: Record<string, string>, programs: string[], isInteractive = true): TerminalFacts {
  const findProgram = (name: string) => (programs.includes(name) ? `/usr/bin/${name}` : undefined);
  return { isInteractive, environment, findProgram, passable: ok(undefined) };
}
