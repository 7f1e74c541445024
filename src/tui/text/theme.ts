import { plain, type Style } from './style.ts';
import { type AgentColours, agentColours, type Colour, colours } from './theme.data.ts';

export type ColourLevel = 'none' | '16' | '256' | 'true';
export type Background = 'dark' | 'light';

/** The look of this terminal. A value that is passed around: nothing here reads the environment. */
export interface Theme {
  readonly level: ColourLevel;
  readonly background: Background;
  /** Bold, dim, underlined: available without colours too, but not in a terminal without escapes. */
  readonly attributes: boolean;
  /** The terminal opens links hidden behind text. */
  readonly hyperlinks: boolean;
  /** For a screen reader: words replace signs, and nothing is drawn. */
  readonly words?: boolean;
  readonly styles: Readonly<Record<StyleName, Style>>;
  /** Assigned to agents in turn; readable, and easy to tell apart. */
  readonly agents: readonly Style[];
}

export interface ThemeOptions {
  level?: ColourLevel;
  background?: Background;
  attributes?: boolean;
  hyperlinks?: boolean;
}

export function makeTheme(options: ThemeOptions = {}): Theme {
  const { level = '16', background = 'dark', attributes = true, hyperlinks = false } = options;
  const colour = (name: keyof typeof colours) => parameters(colours[name][background], level);
  const foreground = (name: keyof typeof colours): Style => {
    const code = colour(name);
    return code === undefined ? plain : { fg: code };
  };
  const backdrop = (name: keyof typeof colours): Style => {
    const code = colour(name);
    return code === undefined ? plain : { bg: asBackground(code) };
  };
  const styles = buildStyles(foreground, backdrop, level);
  return {
    level,
    background,
    attributes,
    hyperlinks: hyperlinks && attributes,
    styles: attributes ? styles : withoutAttributes(styles),
    agents: agentColours.map((pair: AgentColours) => buildAgentStyle(pair[background], level)),
  };
}

export function agentStyle(theme: Theme, index: number): Style {
  return theme.agents[Math.abs(Math.trunc(index)) % theme.agents.length] ?? plain;
}

type Name = keyof typeof colours;

/** Without colours, weight, underline and inversion carry the meaning. */
function buildStyles(fg: (name: Name) => Style, bg: (name: Name) => Style, level: ColourLevel) {
  const isBare = level === 'none';
  const hasBackdrops = level === '256' || level === 'true';
  return {
    text: plain,
    dim: isBare || level === '16' ? { dim: true } : fg('grey'),
    strong: { bold: true },
    emphasis: { italic: true },
    accent: isBare ? { bold: true } : fg('accent'),
    heading: { ...fg('heading'), bold: true },
    code: isBare ? plain : fg('code'),
    link: { ...fg('link'), underline: true },
    quote: { italic: true, ...(isBare ? {} : fg('grey')) },
    border: isBare || level === '16' ? { dim: true } : fg('line'),
    added: fg('green'),
    removed: fg('red'),
    addedWord: isBare
      ? { underline: true }
      : hasBackdrops
        ? { ...fg('green'), ...bg('greenWord') }
        : { ...fg('green'), inverse: true },
    removedWord: isBare
      ? { underline: true }
      : hasBackdrops
        ? { ...fg('red'), ...bg('redWord') }
        : { ...fg('red'), inverse: true },
    addedBlock: hasBackdrops ? bg('greenBlock') : fg('green'),
    removedBlock: hasBackdrops ? bg('redBlock') : fg('red'),
    success: fg('green'),
    warning: isBare ? { bold: true } : fg('yellow'),
    error: { ...fg('red'), bold: true },
    info: fg('link'),
    selection: { inverse: true },
    control: isBare ? { inverse: true } : { ...fg('yellow'), inverse: true },
    user: isBare ? { bold: true } : hasBackdrops ? plain : fg('accent'),
    band: hasBackdrops ? bg('band') : plain,
    keyword: fg('keyword'),
    string: fg('green'),
    number: fg('number'),
    comment: isBare || level === '16' ? { dim: true } : fg('grey'),
    function: fg('function'),
    type: fg('type'),
    variable: plain,
    meta: fg('grey'),
  } satisfies Record<string, Style>;
}

export type StyleName = keyof ReturnType<typeof buildStyles>;

function buildAgentStyle(colour: Colour, level: ColourLevel): Style {
  const code = parameters(colour, level);
  return code === undefined ? plain : { fg: code };
}

/** A colour as an SGR parameter for a foreground. */
function parameters(colour: Colour, level: ColourLevel): string | undefined {
  if (level === 'none') return undefined;
  if (level === '16') return String(colour.basic);
  const [red, green, blue] = parseChannels(colour.hex);
  return level === 'true' ? `38;2;${red};${green};${blue}` : `38;5;${nearestOf256(red, green, blue)}`;
}

function asBackground(code: string): string {
  return code.startsWith('38;') ? `48;${code.slice(3)}` : String(Number(code) + 10);
}

export function parseChannels(hex: string): [red: number, green: number, blue: number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

const steps = [0, 95, 135, 175, 215, 255];

/** The 6 × 6 × 6 cube, or the ramp of greys where that is nearer. */
function nearestOf256(red: number, green: number, blue: number): number {
  const step = (value: number) =>
    steps.reduce(
      (best, one, at) => (Math.abs(one - value) < Math.abs((steps[best] ?? 0) - value) ? at : best),
      0,
    );
  const [r, g, b] = [step(red), step(green), step(blue)];
  const ramp = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const grey = 8 + ramp * 10;
  const distance = (x: number, y: number, z: number) => (x - red) ** 2 + (y - green) ** 2 + (z - blue) ** 2;
  const inCube = distance(steps[r] ?? 0, steps[g] ?? 0, steps[b] ?? 0);
  return distance(grey, grey, grey) < inCube ? 232 + ramp : 16 + 36 * r + 6 * g + b;
}

function withoutAttributes(styles: Record<StyleName, Style>): Record<StyleName, Style> {
  const colourOnly = ({ fg, bg }: Style): Style => ({ ...(fg ? { fg } : {}), ...(bg ? { bg } : {}) });
  const entries = Object.entries(styles).map(([name, style]) => [name, colourOnly(style)]);
  return Object.fromEntries(entries) as Record<StyleName, Style>;
}
