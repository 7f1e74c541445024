import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeProvider } from '../../src/testing/index.ts';
import type { Background } from './cells.ts';
import { drawAt, type Screen, sizeOf, wrapSvg } from './draw.ts';
import { answerFor, furnish } from './moment-script.ts';
import type { Moment } from './moments.ts';
import { openStage } from './terminal.ts';

const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');
const gap = 16;

/** The upper row, and the wide one below it. */
const upper = [
  { columns: 100, rows: 30 },
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
];
const wide = { columns: 220, rows: 50 };

/** One moment at four sizes, once in a dark terminal and once in a light one. */
export async function drawSheets(moment: Moment): Promise<{ background: Background; svg: string }[]> {
  const sheets: { background: Background; svg: string }[] = [];
  for (const background of ['dark', 'light'] as const) {
    const screens = await Promise.all(
      [...upper, wide].map((size) => playMoment(moment, { ...size, background })),
    );
    sheets.push({ background, svg: drawSheet(moment.title, screens) });
  }
  return sheets;
}

async function playMoment(
  { play, flags = '' }: Moment,
  setting: { columns: number; rows: number; background: Background },
): Promise<Screen> {
  const home = mkdtempSync(join(tmpdir(), 'cadre-picture-'));
  const work = join(home, 'shop');
  mkdirSync(work);
  furnish(work);
  await using provider = await fakeProvider({
    script: (request) => answerFor(request, work),
    latencyMs: { first: 100, between: 5 },
    models: ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5'],
  });
  const environment = { HOME: home, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'a-key' };
  const command = flags.startsWith('!')
    ? flags.slice(1).replaceAll('PROGRAM', program)
    : `${program} ${flags}`;
  const stage = openStage(command.trim(), work, environment, setting);
  try {
    return await play(stage);
  } finally {
    stage.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function drawSheet(title: string, screens: readonly Screen[]): string {
  const sizes = screens.map(sizeOf);
  let left = 0;
  const placed = upper.map((_, index) => {
    const at = left;
    left += (sizes[index]?.width ?? 0) + gap;
    return at;
  });
  const height = Math.max(...sizes.slice(0, upper.length).map((size) => size.height));
  const below = height + gap;
  const content = screens.map((screen, index) =>
    index < upper.length ? drawAt(screen, placed[index] ?? 0, 0) : drawAt(screen, 0, below),
  );
  const last = sizeOf(wide);
  return wrapSvg(title, Math.max(left - gap, last.width), below + last.height, content.join('\n'));
}
