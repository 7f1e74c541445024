import { type Background, type ColourLevel, makeTheme, type Theme } from './theme.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The terminal's own description, and the background that it said it has. FORCE_COLOR goes before NO_COLOR, which goes
 * before everything else.
 */
export function detectTheme(env: Environment, isTerminal: boolean, background?: Background): Theme {
  const isDumb = env.TERM === 'dumb';
  const level = detectLevel(env, isTerminal && !isDumb);
  return makeTheme({
    level,
    background: background ?? readBackground(env.COLORFGBG),
    attributes: level !== 'none' || (isTerminal && !isDumb),
    hyperlinks: isTerminal && !isDumb && opensLinks(env),
  });
}

function detectLevel(env: Environment, hasEscapes: boolean): ColourLevel {
  const forced = forcedLevel(env.FORCE_COLOR);
  if (forced !== undefined) return forced;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return 'none';
  if (!hasEscapes) return 'none';
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? '')) return 'true';
  const term = env.TERM ?? '';
  if (/-direct$|^xterm-(?:kitty|ghostty)$|^wezterm$|^alacritty/.test(term) || env.WT_SESSION !== undefined)
    return 'true';
  if (term.includes('256color') || env.TERM_PROGRAM === 'Apple_Terminal') return '256';
  return '16';
}

function forcedLevel(value: string | undefined): ColourLevel | undefined {
  if (value === undefined) return undefined;
  if (value === '0' || value === 'false') return 'none';
  if (value === '2') return '256';
  return value === '3' ? 'true' : '16';
}

/** `foreground;background`, or with something between; 7 and everything above 8 are light. */
function readBackground(value: string | undefined): Background {
  const last = /;(\d{1,2})$/.exec(value ?? '')?.[1];
  if (last === undefined) return 'dark';
  const code = Number(last);
  return code === 7 || (code > 8 && code <= 15) ? 'light' : 'dark';
}

/** Only terminals known to support it: others would show the address as text. Inside tmux it cannot be known. */
function opensLinks(env: Environment): boolean {
  if (env.TMUX !== undefined || env.STY !== undefined) return false;
  if (/^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio)$/.test(env.TERM_PROGRAM ?? '')) return true;
  if (env.TERM === 'xterm-kitty' || env.WT_SESSION !== undefined) return true;
  return Number(env.VTE_VERSION ?? 0) >= 5000;
}
