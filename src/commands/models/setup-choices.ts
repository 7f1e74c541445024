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
