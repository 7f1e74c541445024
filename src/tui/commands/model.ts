import { findFacts } from '../../models/facts.ts';
import { keepListed } from '../../models/listed-models.ts';
import type { ModelReport, ModelSurvey } from '../../models/survey.ts';
import { type EffortLevel, efforts } from '../../protocol/effort.ts';
import { createModelConfig } from '../../session/models.ts';
import type { Desk } from '../desk.ts';
import type { Panel, PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { findSurroundings, settingsNow } from './places.ts';

export const modelCommand: SlashCommand = {
  name: 'model',
  argument: '[name] [effort]',
  description: 'choose the model, and how much it thinks',
  async run(args, desk) {
    if (args !== '') return switchTo(desk, args);
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
      title: `Which model?\nCurrent: ${now}. /model NAME also takes a name that is not listed.`,
      empty: describeNone(survey.value),
      rows,
      selected: Math.max(
        0,
        rows.findIndex(({ isCurrent }) => isCurrent),
      ),
      pick: ({ value }) => {
        if (switchModel(desk, value)) chooseEffort(desk);
      },
    };
    desk.laterOpen(panel, '/model');
  },
};

function describeNone({ providers }: ModelSurvey): string {
  const silent = providers.filter(({ isReady }) => isReady).map(({ name }) => name);
  return silent.length > 0
    ? `No list of models from ${silent.join(', ')}. /model NAME takes any name.`
    : 'No provider is set up. Run cadre setup, or set ANTHROPIC_API_KEY.';
}

function listModels({ providers, aliases }: ModelSurvey, now: string): PickRow[] {
  const ready = providers.filter(({ isReady }) => isReady);
  return ready.flatMap(({ name, address, models }) =>
    (models.length > 0 ? models : listAliased(name, aliases)).map((model): PickRow => {
      const short = aliases.filter((alias) => alias.model === model.name).map(({ alias }) => alias);
      return {
        value: model.name,
        label: model.name,
        note: models.length > 0 ? describeAbilities(model) : `${name} did not list its models`,
        isCurrent: model.name === now,
        preview: [
          model.name,
          '',
          ...(model.window === undefined ? [] : [`Context:  ${model.window.toLocaleString('en')} tokens`]),
          ...(model.images === undefined ? [] : [`Images:   ${model.images ? 'yes' : 'no'}`]),
          ...(model.thinks === undefined ? [] : [`Thinking: ${model.thinks ? 'yes' : 'no'}`]),
          ...(short.length > 0 ? [`Alias:    ${short.join(', ')}`] : []),
          `Provider: ${name}${address === undefined ? '' : `, ${address}`}`,
          ...(model.problem === undefined ? [] : ['', model.problem]),
        ].join('\n'),
      };
    }),
  );
}

/** The provider did not answer: these are known without it. */
function listAliased(provider: string, aliases: ModelSurvey['aliases']): ModelReport[] {
  const names = aliases.flatMap(({ model }) => (model?.startsWith(`${provider}/`) ? [model] : []));
  return [...new Set(names)].map((name) => ({ name }));
}

function describeAbilities({ window, images, thinks, problem }: ModelReport): string {
  if (problem) return problem;
  const size = window === undefined ? [] : [`${Math.round(window / 1000).toLocaleString('en')}k`];
  return [...size, ...(images ? ['images'] : []), ...(thinks ? ['thinking'] : [])].join(' · ');
}

/** `NAME`, `NAME high`, or `high` alone for the model in use. */
function switchTo(desk: Desk, args: string): void {
  const words = args.split(/\s+/);
  const level = findLevel(words.at(-1));
  const name = (level === undefined ? words : words.slice(0, -1)).join(' ');
  if (name !== '' && !switchModel(desk, name)) return;
  if (level !== undefined) setEffort(desk, level);
}

function findLevel(word = ''): EffortLevel | null | undefined {
  if (word === 'default') return null;
  return efforts.find((one) => one === word);
}

function switchModel(desk: Desk, name: string): boolean {
  const before = desk.session.info().model;
  if (!desk.send({ type: 'set_model', model: name })) return false;
  desk.describe();
  if (desk.session.info().model !== before) tellModel(desk, before);
  return true;
}

/** Asked after the model, where it takes a level. */
function chooseEffort(desk: Desk): void {
  const { model, effort } = desk.session.info();
  if (effort.levels.length === 0) return;
  const rows: PickRow[] = [
    { value: 'default', label: 'default', note: 'as the model decides', isCurrent: effort.chosen === null },
    ...effort.levels.map((level) => ({
      value: level,
      label: level,
      note: effortNotes[level],
      isCurrent: effort.chosen === level,
    })),
  ];
  desk.open({
    kind: 'pick',
    title: `How much should ${model} think?\nMore effort costs more tokens and time. esc leaves it as it is.`,
    rows,
    selected: Math.max(
      0,
      rows.findIndex(({ isCurrent }) => isCurrent),
    ),
    pick: ({ value }) => setEffort(desk, findLevel(value) ?? null),
  });
}

const effortNotes: Readonly<Record<EffortLevel, string>> = {
  low: 'quick answers, little thinking',
  medium: 'everyday work',
  high: 'hard problems',
  xhigh: 'harder problems, longer thinking',
  max: 'as much as it can',
};

function setEffort(desk: Desk, effort: EffortLevel | null): void {
  const before = desk.session.info().effort.chosen;
  if (!desk.send({ type: 'set_effort', effort })) return;
  desk.describe();
  if (before !== effort) desk.tell(`Effort: ${effort ?? 'the default of the model'}.`);
}

/** A gateway may serve any name, and only its first answer tells. */
function tellModel(desk: Desk, before: string): void {
  const { model } = desk.session.info();
  const [provider = '', ...id] = model.split('/');
  const doubt = `Switched to ${model}, which is not a known model. If the provider does not serve it, the next request fails. /model lists known models; to go back: /model ${before}`;
  if (findFacts(provider, id.join('/')).known) desk.tell(`Switched to ${model}.`);
  else desk.warn(doubt);
}
