import type { ModelFacts } from '../protocol/index.ts';
import type { ProviderName } from './providers/providers.ts';

export type { ProviderName };

/** Facts for the provider's adapter, besides the public ones. */
export interface KnownModel extends ModelFacts {
  /** Thinking cannot be switched off, only limited to between calls. */
  thinksBetweenTools?: boolean;
}

/** The newest model of each family, for the aliases. */
export const aliasModels = {
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
} as const;

export type Alias = keyof typeof aliasModels;

export function isAlias(name: string): name is Alias {
  return Object.hasOwn(aliasModels, name);
}

/** Facts for an id, found by its longest known prefix, since ids get dates and suffixes. */
export function findFacts(provider: ProviderName, id: string): KnownModel {
  const rows = table[provider] ?? {};
  const beginnings = Object.keys(rows).filter((beginning) => id.startsWith(beginning));
  const longest = beginnings.sort((a, b) => b.length - a.length)[0];
  const row = longest === undefined ? undefined : rows[longest];
  return row ? { ...row, known: true } : guess(provider, id);
}

type Row = Omit<KnownModel, 'known'>;

const claude: Row = {
  window: 1_000_000,
  maxOutput: 128_000,
  images: true,
  thinking: ['off', 'adaptive'],
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
};
const alwaysThinking: Row = { ...claude, thinking: ['adaptive'] };
const claude46: Row = {
  ...claude,
  thinking: ['off', 'adaptive', 'budget'],
  efforts: ['low', 'medium', 'high', 'max'],
};
const { efforts: _, ...withoutEffort } = claude;
const claude45: Row = { ...withoutEffort, window: 200_000, maxOutput: 64_000, thinking: ['off', 'budget'] };
const gpt: Row = {
  window: 400_000,
  maxOutput: 128_000,
  images: true,
  thinking: ['adaptive'],
  efforts: ['low', 'medium', 'high'],
};
const gpt51: Row = { ...gpt, thinking: ['off', 'adaptive'] };
const gpt52: Row = { ...gpt51, efforts: ['low', 'medium', 'high', 'xhigh'] };
const gptPro: Row = { ...gpt, efforts: ['medium', 'high', 'xhigh'] };
const gemini: Row = { window: 1_048_576, maxOutput: 65_536, images: true, thinking: ['adaptive'] };

const table: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  anthropic: {
    'claude-opus-5-5': alwaysThinking,
    'claude-sonnet-5-5': { ...alwaysThinking, thinksBetweenTools: true },
    'claude-haiku-5-5': { ...claude, thinking: ['off', 'adaptive'] },
    'claude-fable-5': alwaysThinking,
    'claude-opus-5': claude,
    'claude-sonnet-5': claude,
    'claude-haiku-5': claude,
    'claude-opus-4-8': claude,
    'claude-opus-4-7': claude,
    'claude-opus-4-6': claude46,
    'claude-sonnet-4-6': claude46,
    'claude-opus-4-5': { ...claude45, efforts: ['low', 'medium', 'high'] },
    'claude-sonnet-4': claude45,
    'claude-haiku-4-5': claude45,
    'claude-opus-4': { ...claude45, maxOutput: 32_000 },
    'claude-3-7-sonnet': claude45,
    'claude-3-5-sonnet': { ...claude45, maxOutput: 8_192, thinking: [] },
    'claude-3-5-haiku': { ...claude45, maxOutput: 8_192, thinking: [] },
    'claude-3-opus': { ...claude45, maxOutput: 4_096, thinking: [] },
    'claude-3-haiku': { ...claude45, maxOutput: 4_096, thinking: [] },
  },
  openai: {
    'gpt-6': gpt,
    'gpt-5': gpt,
    'gpt-5-pro': { ...gpt, efforts: ['high'] },
    'gpt-5.1': gpt51,
    'gpt-5.1-codex': gpt,
    'gpt-5.2': gpt52,
    'gpt-5.2-codex': gpt,
    'gpt-5.2-pro': gptPro,
    'gpt-5.3-codex': gpt,
    'gpt-5.4': { ...gpt52, window: 1_050_000 },
    'gpt-5.4-pro': { ...gptPro, window: 1_050_000 },
    'gpt-5.5': { ...gpt52, window: 1_050_000 },
    'gpt-5.5-pro': { ...gptPro, window: 1_050_000 },
    'gpt-4.1': { images: true, window: 1_047_576, maxOutput: 32_768, thinking: [] },
    'gpt-4o': { images: true, window: 128_000, maxOutput: 16_384, thinking: [] },
    o3: { ...gpt, window: 200_000, maxOutput: 100_000 },
    'o4-mini': { ...gpt, window: 200_000, maxOutput: 100_000 },
  },
  google: {
    'gemini-': gemini,
    'gemini-3': { ...gemini, efforts: ['low', 'high'] },
    'gemini-2.5-pro': { ...gemini, thinking: ['adaptive', 'budget'] },
    'gemini-2.5-flash': { ...gemini, thinking: ['off', 'adaptive', 'budget'] },
    'gemini-2.0': { ...gemini, maxOutput: 8_192, thinking: [] },
  },
};

/** Small enough to be safe with a local server, where a request beyond the window fails or is silently cut. */
function guess(provider: ProviderName, id: string): KnownModel {
  if (id.includes('claude-'))
    return { ...claude46, window: 200_000, maxOutput: 64_000, efforts: undefined, known: false };
  const images = provider === 'anthropic' || provider === 'google' || id.startsWith('gpt-');
  return { window: 32_768, maxOutput: 8_192, images, thinking: [], known: false };
}
