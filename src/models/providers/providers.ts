/** A built-in provider: its address and the variables that configure it. */
export interface ProviderInfo {
  /** As shown to users. */
  title: string;
  /** Its address unless a variable says otherwise. */
  url: string;
  /** The path for an address without one. */
  path: string;
  /** The first that is set is used. */
  keyVariables: readonly string[];
  urlVariables: readonly string[];
  /** Where users make a key. */
  keyPage?: string;
  /** A server on this machine, which needs no key. */
  isLocal: boolean;
}

export const providerNames = [
  'anthropic',
  'openai',
  'google',
  'ollama',
  'lmstudio',
  'llamacpp',
  'vllm',
] as const;

export type BuiltInName = (typeof providerNames)[number];

/** Servers that users run themselves; all of them speak Chat Completions. */
export const localNames = ['ollama', 'lmstudio', 'llamacpp', 'vllm'] as const;

export type LocalName = (typeof localNames)[number];

/** A built-in provider, or one that the user has added. */
export type ProviderName = string;

export const builtInProviders: Readonly<Record<BuiltInName, ProviderInfo>> = {
  anthropic: {
    title: 'Anthropic',
    url: 'https://api.anthropic.com/v1',
    path: '/v1',
    keyVariables: ['ANTHROPIC_API_KEY'],
    urlVariables: ['ANTHROPIC_BASE_URL'],
    keyPage: 'https://console.anthropic.com/settings/keys',
    isLocal: false,
  },
  openai: {
    title: 'OpenAI',
    url: 'https://api.openai.com/v1',
    path: '/v1',
    keyVariables: ['OPENAI_API_KEY'],
    urlVariables: ['OPENAI_BASE_URL'],
    keyPage: 'https://platform.openai.com/api-keys',
    isLocal: false,
  },
  google: {
    title: 'Google',
    url: 'https://generativelanguage.googleapis.com/v1beta',
    path: '/v1beta',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    urlVariables: ['GOOGLE_BASE_URL', 'GEMINI_BASE_URL'],
    keyPage: 'https://aistudio.google.com/apikey',
    isLocal: false,
  },
  ollama: local('Ollama', 11434, 'OLLAMA', ['OLLAMA_HOST', 'OLLAMA_BASE_URL']),
  lmstudio: local('LM Studio', 1234, 'LMSTUDIO'),
  llamacpp: local('llama.cpp', 8080, 'LLAMACPP'),
  vllm: local('vLLM', 8000, 'VLLM'),
};

export function isBuiltIn(name: string): name is BuiltInName {
  return Object.hasOwn(builtInProviders, name);
}

export function isLocalName(name: string): name is LocalName {
  return localNames.some((known) => known === name);
}

export function getProviderTitle(provider: ProviderName): string {
  return isBuiltIn(provider) ? builtInProviders[provider].title : provider;
}

/** The variable to name when a key is missing. */
export function keyVariable(provider: ProviderName): string {
  return (
    (isBuiltIn(provider) ? builtInProviders[provider].keyVariables[0] : undefined) ??
    formatVariableName(provider, 'API_KEY')
  );
}

export function urlVariable(provider: ProviderName): string {
  return (
    (isBuiltIn(provider) ? builtInProviders[provider].urlVariables[0] : undefined) ??
    formatVariableName(provider, 'BASE_URL')
  );
}

/** `my-provider` has `MY_PROVIDER_API_KEY`. */
export function formatVariableName(provider: ProviderName, suffix: 'API_KEY' | 'BASE_URL'): string {
  return `${provider.toUpperCase().replaceAll('-', '_')}_${suffix}`;
}

function local(title: string, port: number, prefix: string, urls = [`${prefix}_BASE_URL`]): ProviderInfo {
  return {
    title,
    url: `http://127.0.0.1:${port}/v1`,
    path: '/v1',
    keyVariables: [`${prefix}_API_KEY`],
    urlVariables: urls,
    isLocal: true,
  };
}
