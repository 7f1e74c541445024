/** `basic`: the SGR parameter in a terminal with 16 colours, whose own palette decides how it looks. */
export interface Colour {
  readonly hex: string;
  readonly basic: number;
}

interface Pair {
  readonly dark: Colour;
  readonly light: Colour;
}

export type AgentColours = Pair;

function pair(dark: string, light: string, basicDark: number, basicLight: number = basicDark): Pair {
  return { dark: { hex: dark, basic: basicDark }, light: { hex: light, basic: basicLight } };
}

export const colours = {
  grey: pair('#8b949e', '#656d76', 90),
  line: pair('#57606a', '#afb8c1', 90),
  accent: pair('#d2a8ff', '#8250df', 95, 35),
  heading: pair('#79c0ff', '#0550ae', 96, 34),
  code: pair('#a5d6ff', '#0a3069', 36, 34),
  link: pair('#58a6ff', '#0969da', 94, 34),
  green: pair('#7ee787', '#116329', 32),
  red: pair('#ff9492', '#a40e26', 31),
  yellow: pair('#e3b341', '#7d4e00', 33),
  keyword: pair('#ff7b72', '#a40e26', 95, 35),
  number: pair('#79c0ff', '#0550ae', 36),
  function: pair('#d2a8ff', '#6639ba', 94, 34),
  type: pair('#ffa657', '#953800', 33),
  band: pair('#262c36', '#eaeef2', 100, 47),
  greenBlock: pair('#12261e', '#e6ffec', 32),
  redBlock: pair('#2d1517', '#ffebe9', 31),
  greenWord: pair('#1f5130', '#abf2bc', 32),
  redWord: pair('#6b2024', '#ffc1bc', 31),
} as const satisfies Record<string, Pair>;

/** Each at 4.5 : 1 or better against its background, and far enough from its neighbours. */
export const agentColours: readonly Pair[] = [
  pair('#58a6ff', '#0969da', 94, 34),
  pair('#f778ba', '#bf3989', 95, 35),
  pair('#3fb950', '#1a7f37', 92, 32),
  pair('#d29922', '#7d4e00', 93, 33),
  pair('#39c5cf', '#0f6e78', 96, 36),
  pair('#ff7b72', '#b62324', 91, 31),
  pair('#bc8cff', '#8250df', 35, 95),
  pair('#ffa657', '#b54708', 33, 33),
  pair('#a2d939', '#4d6b00', 32, 32),
  pair('#8fb3ff', '#3b4fb8', 36, 36),
];
