/**
 * `npm run picture`: the pictures of the documentation, made from the real thing: the program runs in tmux, is driven by
 * keys, and its screen is drawn. Needs tmux, git and `npm run build`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawScreen } from './draw.ts';
import { moments } from './moments.ts';
import { playDemo, playPlan, playTeam } from './scenes.ts';
import { drawSheets } from './sheet.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const screens = join(docs, 'screens');

/** All, or those that are named: `npm run picture -- teams`. */
const plays = { demo: playDemo, plan: playPlan, teams: playTeam };
const [, , wanted] = process.argv;

for (const [, play] of Object.entries(plays).filter(([name]) => (wanted ?? name) === name))
  for (const { name, title, screen } of await play()) save(docs, name, drawScreen(title, screen));

mkdirSync(screens, { recursive: true });
for (const moment of moments.filter(({ name }) => (wanted ?? name) === name || wanted === 'screens'))
  for (const { background, svg } of await drawSheets(moment))
    save(screens, `${moment.name}-${background}`, svg);

function save(directory: string, name: string, svg: string): void {
  writeFileSync(join(directory, `${name}.svg`), svg);
  console.log(join(directory, `${name}.svg`));
}
