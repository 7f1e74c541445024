import { formatJson } from '../../lib/fields/parse-json.ts';
import type { Result } from '../../lib/result.ts';
import { ok } from '../../lib/result.ts';
import { keepListed } from '../../models/listed-models.ts';
import type { ModelSurvey } from '../../models/survey.ts';
import { type ModelReport, type ProviderReport, surveyModels } from '../../models/survey.ts';
import { createModelConfig } from '../../session/models.ts';
import { lookAround } from '../../session/surroundings.ts';
import { readSettings } from '../read-settings.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre models`: configured providers, local servers, and the names of their models. */
export async function printModels(flags: FlagsOf<'models'>): Promise<Result<string>> {
  const around = lookAround({});
  const settings = await readSettings(around);
  if (!settings.ok) return settings;
  const survey = await surveyModels(createModelConfig(around, settings.value));
  if (!survey.ok) return survey;
  keepListed(around.home, survey.value);
  return ok(flags.json ? formatJson(survey.value) : page(survey.value, flags.all === true));
}

const shownModels = 15;

function page({ default: chosen, providers, aliases }: ModelSurvey, all: boolean): string {
  const ready = providers.filter(({ isReady }) => isReady);
  const others = providers.filter(({ isReady, kind }) => !isReady && kind !== 'local');
  const silent = providers
    .filter(({ isReady, kind }) => !isReady && kind === 'local')
    .map(({ name }) => name);
  return [
    'model' in chosen ? `Without --model: ${chosen.model}` : `No default model: ${chosen.problem}`,
    ...ready.map((provider) => section(provider, all)),
    ...(others.length > 0 ? [others.map(({ name, note }) => `${name}: ${note}`).join('\n')] : []),
    ...(silent.length > 0 ? [`Not running here: ${silent.join(', ')}`] : []),
    ['Aliases', ...aliases.map(({ alias, model, problem }) => `  ${alias}  ${model ?? problem}`)].join('\n'),
    'Use one with --model NAME. Other providers: cadre providers add <npm-package>',
  ]
    .join('\n\n')
    .concat('\n');
}

function section({ name, address, key, models, note }: ProviderReport, all: boolean): string {
  const from = key === 'environment' ? ', key from the environment' : key === 'stored' ? ', stored key' : '';
  const head = address ? `${name}  ${address}${from}` : name;
  const shown = all ? models : models.slice(0, shownModels);
  const width = Math.max(...shown.map((model) => model.name.length), 0);
  const rest = models.length - shown.length;
  return [
    head,
    ...(note ? [`  ${note}`] : []),
    ...shown.map((model) => `  ${model.name.padEnd(width)}  ${abilities(model)}`.trimEnd()),
    ...(rest > 0 ? [`  … and ${rest} more; --all shows them`] : []),
  ].join('\n');
}

function abilities({ window, images, thinks, problem }: ModelReport): string {
  if (problem) return problem;
  if (window === undefined) return '';
  const can = [images ? 'images' : '', thinks ? 'thinking' : ''].filter(Boolean);
  return [`${window.toLocaleString('en')} tokens`, ...can].join(', ');
}
