/**
 * `npm run picture`: the pictures of the documentation, made from the real thing: the program runs in tmux, is driven by
 * keys, and its screen is drawn. Needs tmux, git and `npm run build`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawScreen } from './draw.ts';
import { playDemo, playPlan, playTeam } from './scenes.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');

/** All, or those that are named: `npm run picture -- teams`. */
const plays = { demo: playDemo, plan: playPlan, teams: playTeam };
const [, , wanted] = process.argv;

for (const [, play] of Object.entries(plays).filter(([name]) => (wanted ?? name) === name))
  for (const { name, title, screen } of await play()) {
    writeFileSync(join(docs, `${name}.svg`), drawScreen(title, screen));
    console.log(`docs/${name}.svg`);
  }
