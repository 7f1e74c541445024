import { describe, expect, test } from 'bun:test';
import { agentStyle, detectTheme, makeTheme, paint } from '../../../src/tui/text/index.ts';
import { agentColours, colours } from '../../../src/tui/text/theme.data.ts';

test.each([
  ['nothing said', {}, '16'],
  ['256 colours by name', { TERM: 'xterm-256color' }, '256'],
  ['true colour', { COLORTERM: 'truecolor', TERM: 'xterm' }, 'true'],
  ['NO_COLOR', { NO_COLOR: '1', COLORTERM: 'truecolor' }, 'none'],
  ['an empty NO_COLOR, which says nothing', { NO_COLOR: '', TERM: 'xterm-256color' }, '256'],
  ['FORCE_COLOR over NO_COLOR', { NO_COLOR: '1', FORCE_COLOR: '3' }, 'true'],
  ['FORCE_COLOR=0', { FORCE_COLOR: '0', TERM: 'xterm-256color' }, 'none'],
  ['a dumb terminal', { TERM: 'dumb', COLORTERM: 'truecolor' }, 'none'],
] as const)('%s', (_, env, level) => {
  expect(detectTheme(env, true).level).toBe(level);
});

test('without colours weight remains, in a dumb terminal nothing does', () => {
  expect(paint(detectTheme({ NO_COLOR: '1' }, true).styles.strong, 'a')).toBe('\x1b[1ma\x1b[22m');
  for (const style of Object.values(detectTheme({ TERM: 'dumb' }, true).styles))
    expect(paint(style, 'a')).toBe('a');
});

test('without colours no style has one', () => {
  for (const style of Object.values(makeTheme({ level: 'none' }).styles))
    expect(paint(style, 'a')).not.toMatch(/\x1b\[[\d;]*(?:[349]\d|10\d)/);
});

test.each([
  ['0;15', 'light'],
  ['15;0', 'dark'],
  ['0;default;7', 'light'],
  ['nonsense', 'dark'],
  [undefined, 'dark'],
] as const)('COLORFGBG %s is a background that is %s', (value, background) => {
  expect(detectTheme({ COLORFGBG: value }, true).background).toBe(background);
});

test('links are opened only in terminals that are known for it', () => {
  expect(detectTheme({ TERM_PROGRAM: 'iTerm.app' }, true).hyperlinks).toBe(true);
  expect(detectTheme({ TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/x' }, true).hyperlinks).toBe(false);
  expect(detectTheme({ TERM: 'xterm' }, true).hyperlinks).toBe(false);
});

test('every line of a painted text is closed by itself', () => {
  expect(paint({ fg: '31' }, 'a\n\nb')).toBe('\x1b[31ma\x1b[39m\n\n\x1b[31mb\x1b[39m');
});

describe('agents', () => {
  test.each(['16', '256', 'true'] as const)('have at least eight colours of %s', (level) => {
    const theme = makeTheme({ level });
    const different = new Set(theme.agents.map((style) => style.fg));
    expect(different.size).toBeGreaterThanOrEqual(8);
  });

  test('take them round and round', () => {
    const theme = makeTheme();
    expect(agentStyle(theme, theme.agents.length + 1)).toBe(agentStyle(theme, 1));
  });
});

describe('what is read has contrast', () => {
  const backdrops = { dark: '#1e1e1e', light: '#ffffff' } as const;
  const text = Object.entries(colours).filter(([name]) => !/line|Block|Word|band/.test(name));
  const all = [...text, ...agentColours.map((pair, index) => [`agent ${index}`, pair] as const)];
  for (const background of ['dark', 'light'] as const)
    test.each(all.map(([name, pair]) => [name, pair[background].hex] as const))(
      `${background}: %s`,
      (_, hex) => {
        expect(contrast(hex, backdrops[background])).toBeGreaterThanOrEqual(4.5);
      },
    );
});

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
