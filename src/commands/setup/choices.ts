import { builtInProviders, isBuiltIn } from '../../models/providers/providers.ts';
import type { ModelSurvey } from '../../models/survey.ts';

/** The choices of a new user, the likeliest first. */
export type SetupChoice =
  | { kind: 'local'; model: string; text: string }
  | { kind: 'key'; provider: HostedName; text: string }
  | { kind: 'demo'; text: string }
  | { kind: 'quit'; text: string };

export const hostedNames = ['anthropic', 'openai', 'google'] as const;
export type HostedName = (typeof hostedNames)[number];

/** `cadre models` lists the rest of a server's models. */
const maxLocal = 5;

export function listChoices({ providers }: ModelSurvey): SetupChoice[] {
  const local = providers
    .filter(({ kind, isReady }) => kind === 'local' && isReady)
    .flatMap(({ name, models }) =>
      models
        .filter(({ problem }) => problem === undefined)
        .slice(0, maxLocal)
        .map((model): SetupChoice => {
          const size = model.window === undefined ? '' : `, ${model.window.toLocaleString('en')} tokens`;
          const title = isBuiltIn(name) ? builtInProviders[name].title : name;
          return {
            kind: 'local',
            model: model.name,
            text: `${model.name} (${title} on this machine${size}, no key)`,
          };
        }),
    );
  const keys = hostedNames.map((provider): SetupChoice => {
    const isKnown = providers.some(({ name, isReady }) => name === provider && isReady);
    const title = builtInProviders[provider].title;
    return {
      kind: 'key',
      provider,
      text: isKnown ? `${title}, with the key found here` : `${title}, with an API key`,
    };
  });
  return [
    ...local,
    ...keys,
    { kind: 'demo', text: 'watch the demo (no key needed)' },
    { kind: 'quit', text: 'leave' },
  ];
}

export function renderChoices(choices: readonly SetupChoice[]): string {
  const row = (choice: SetupChoice, index: number) => `  ${String(index + 1).padStart(2)}  ${choice.text}`;
  return `${choices.map(row).join('\n')}\n`;
}

/** A number of the list; an empty line takes the first. */
export function pick<T>(typed: string, among: readonly T[]): T | undefined {
  const text = typed.trim();
  if (text === '') return among[0];
  return /^\d{1,3}$/.test(text) ? among[Number(text) - 1] : undefined;
}
