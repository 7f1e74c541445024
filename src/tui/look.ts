import type { TerminalSettings } from '../settings/loaded.ts';
import type { ScreenLook } from './app.ts';
import { type Background, detectTheme, makeTheme } from './text/index.ts';

export type ThemeName = NonNullable<TerminalSettings['theme']>;

export interface LookWishes {
  home: string;
  screenReader?: boolean;
  animation?: boolean;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Flags and variables override the settings; the terminal's own report is the default. */
export function chooseLook(
  wishes: LookWishes,
  settings: TerminalSettings,
  background?: Background,
): ScreenLook {
  const { home, environment } = wishes;
  const plain = wishes.screenReader ?? settings.screenReader ?? false;
  const found = detectTheme(environment, true, background);
  const { theme: wanted = 'auto' } = settings;
  const { level, attributes, hyperlinks } = found;
  const theme = wanted === 'auto' ? found : makeTheme({ level, attributes, hyperlinks, background: wanted });
  const isDumb = environment.TERM === 'dumb';
  return {
    theme: plain ? { ...theme, words: true } : theme,
    plain,
    isDumb,
    home,
    animation: !plain && (wishes.animation ?? settings.animation ?? true),
  };
}
