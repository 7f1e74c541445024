import { expect } from 'bun:test';
import { basename } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('the title of the window says what it does, and is put back on leaving', () =>
  withScreen([call('Bash', { command: 'touch made' }), say('Done.')], async (screen) => {
    await seen(screen, 'Ask for something');
    const name = basename(screen.place.cwd);
    const before = screen.title();
    await send(screen, 'go');
    await seen(screen, 'esc sets it aside');
    expect(screen.title()).toBe(`Asks you · ${name} · Cadre`);
    screen.type('y');
    await seen(screen, 'Done.');
    await seen(screen, /\$\d/);
    expect(screen.title()).toBe(`${name} · Cadre`);
    screen.press('C-d');
    await seen(screen, 'Resume it');
    expect(screen.title()).not.toContain('Cadre');
    expect(before).not.toContain('Asks you');
  }),
);
