import { expect } from 'bun:test';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { newPlace, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const size = { columns: 110, rows: 30 };

const script = `export const meta = { name: 'review', description: 'Reviews.', phases: ['look', 'judge'] };
phase('look');
await parallel([() => agent('TASK one', { label: 'one' }), () => agent('TASK two', { label: 'two' })]);
throw new Error('not ready');
phase('judge');
return await agent('TASK three', { label: 'three' });
`;

tmuxTest(
  '/workflows: a call is opened and skipped, and an edited script continues its run without paying twice',
  () => {
    const place = newPlace();
    const file = join(place.home, 'workflows/review.js');
    const editor = join(place.userHome, 'editor.sh');
    mkdirSync(join(place.home, 'workflows'), { recursive: true });
    writeFileSync(file, script);
    writeFileSync(editor, '#!/bin/sh\nsed -i /throw/d "$1"\n');
    chmodSync(editor, 0o755);
    const asked: string[] = [];
    return withScreen(
      ({ messages }) => {
        const task = /TASK (\w+)/.exec(JSON.stringify(messages[0]))?.[1];
        if (task === undefined) return say('It runs.');
        asked.push(task);
        return task === 'two' ? hang(say('I look.')) : say(`${task} is fine.`);
      },
      async (screen) => {
        await seen(screen, 'anthropic/');
        await send(screen, '/review');
        await seen(screen, 'It runs.');
        await seen(screen, /workflow review +running/);
        await send(screen, '/workflows');
        await seen(screen, /❯ review +running/);
        screen.press('Enter');
        await seen(screen, /❯ ✓ one +ok EXECUTED/);
        screen.press('Down');
        await seen(screen, /❯ ● two +running/);
        screen.press('Enter');
        await seen(screen, 'Write to general-purpose');
        screen.press('Escape');
        await seen(screen, 's skips the call');
        screen.type('s');
        await seen(screen, /■ two +skipped EXECUTED/);
        await seen(screen, 'Workflow review: failed');
        screen.type('e');
        await seen(screen, 'Workflow review: partial');
        const now = await seen(screen, /three +ok EXECUTED/);
        expect(now).toMatch(/one +ok REPLAYED/);
        expect(now).toMatch(/two +skipped REPLAYED/);
        expect(asked.toSorted()).toEqual(['one', 'three', 'two']);
        expect(readFileSync(file, 'utf8')).not.toContain('throw');
      },
      { ...size, place, env: { EDITOR: editor } },
    );
  },
);
