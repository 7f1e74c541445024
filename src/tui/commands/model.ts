import { findFacts } from '../../models/facts.ts';
import { keepListed } from '../../models/listed-models.ts';
import type { ModelReport, ModelSurvey } from '../../models/survey.ts';
import { createModelConfig } from '../../session/models.ts';
import type { Desk } from '../desk.ts';
import type { Panel, PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { findSurroundings, settingsNow } from './places.ts';

export const modelCommand: SlashCommand = {
  name: 'model',
  argument: '[name]',
  description: 'choose the model',
  async run(args, desk) {
    if (args !== '') return switchModel(desk, args);
    desk.hint('Loading …');
    const settings = await settingsNow(desk);
    if (!settings.ok) return desk.warn(settings.problem.message);
    const { surveyModels } = await import('../../models/survey.ts');
    const survey = await surveyModels(createModelConfig(findSurroundings(desk), settings.value));
    if (!survey.ok) return desk.warn(survey.problem.message);
    keepListed(findSurroundings(desk).home, survey.value);
    const now = desk.session.info().model;
    const rows = listModels(survey.value, now);
    const panel: Panel = {
      kind: 'pick',
      title: `Which model?\nNow: ${now}. /model NAME also takes a name that is not listed.`,
      empty: 'No provider is set up. Run cadre setup, or set ANTHROPIC_API_KEY.',
      rows,
      selected: Math.max(
        0,
        rows.findIndex(({ isCurrent }) => isCurrent),
      ),
      pick: ({ value }) => switchModel(desk, value),
    };
    desk.laterOpen(panel, '/model');
  },
};

function listModels({ providers, aliases }: ModelSurvey, now: string): PickRow[] {
  const ready = providers.filter(({ isReady }) => isReady);
  return ready.flatMap(({ name, address, models }) =>
    models.map((model): PickRow => {
      const short = aliases.filter((alias) => alias.model === model.name).map(({ alias }) => alias);
      return {
        value: model.name,
        label: model.name,
        note: describeAbilities(model),
        isCurrent: model.name === now,
        preview: [
          model.name,
          '',
          ...(model.window === undefined ? [] : [`context  ${model.window.toLocaleString('en')} tokens`]),
          ...(model.images === undefined ? [] : [`images   ${model.images ? 'yes' : 'no'}`]),
          ...(model.thinks === undefined ? [] : [`thinking ${model.thinks ? 'yes' : 'no'}`]),
          ...(short.length > 0 ? [`alias    ${short.join(', ')}`] : []),
          `provider ${name}${address === undefined ? '' : `, ${address}`}`,
          ...(model.problem === undefined ? [] : ['', model.problem]),
        ].join('\n'),
      };
    }),
  );
}

function describeAbilities({ window, images, thinks, problem }: ModelReport): string {
  if (problem) return problem;
  const size = window === undefined ? [] : [`${Math.round(window / 1000).toLocaleString('en')}k`];
  return [...size, ...(images ? ['images'] : []), ...(thinks ? ['thinking'] : [])].join(' · ');
}

function switchModel(desk: Desk, name: string): void {
  const before = desk.session.info().model;
  if (!desk.send({ type: 'set_model', model: name })) return;
  desk.describe();
  tellModel(desk, before);
}

/** A gateway may serve any name, and only its first answer tells. */
function tellModel(desk: Desk, before: string): void {
  const { model } = desk.session.info();
  const [provider = '', ...id] = model.split('/');
  const doubt = `Switched to ${model}, which is not a known model. If the provider does not serve it, the next request fails. /model lists known models; to go back: /model ${before}`;
  if (findFacts(provider, id.join('/')).known) desk.tell(`Switched to ${model}.`);
  else desk.warn(doubt);
}
