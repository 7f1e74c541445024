import type { LineTerminal } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { type ModelConfig, settleModel } from '../../models/resolve.ts';
import { surveyModels } from '../../models/survey.ts';
import { createModelConfig } from '../../session/models.ts';
import { checkHome, lookAround, type Surroundings } from '../../session/surroundings.ts';
import { changeSettings } from '../../settings/change-settings.ts';
import { chooseRow } from '../ask/choose-row.ts';
import { readSettings } from '../read-settings.ts';
import { listChoices, type SetupChoice } from './setup-choices.ts';
import { useKey } from './use-key.ts';

type SetupEnd = 'ready' | 'demo' | 'quit' | 'interrupted';

/** `cadre setup`, and the first run: leads the user to a working model. Nothing is stored without a test or consent. */
export async function setUp(): Promise<number | Result<never>> {
  const io = processIo();
  if (!io.terminal)
    return usage(
      'cadre setup asks questions and needs a terminal.',
      'Store a key with: cadre key set anthropic < file, or set ANTHROPIC_API_KEY. cadre models lists the available models.',
    );
  const ended = await chooseModel(io.terminal);
  if (!ended.ok) return ended;
  if (ended.value === 'ready') io.terminal.show('Ready. Start with: cadre\n');
  if (ended.value === 'demo') io.terminal.show('Watch it with: cadre demo\n');
  return ended.value === 'interrupted' ? 130 : 0;
}

/** Whether a run started now would have a model, without sending a request. */
export async function knowsModel(named: string | undefined): Promise<boolean> {
  const config = await readConfig(lookAround({}));
  // The run itself reports problems with the settings, with file and line.
  return !config.ok || settleModel(named, config.value).ok;
}

export async function chooseModel(terminal: LineTerminal): Promise<Result<SetupEnd>> {
  const around = lookAround({});
  const home = checkHome(around);
  if (!home.ok) return home;
  const config = await readConfig(around);
  if (!config.ok) return config;
  terminal.show('Looking for models on this machine …\n');
  const survey = await surveyModels(config.value);
  if (!survey.ok) return survey;
  const choices = listChoices(survey.value);
  for (;;) {
    terminal.show('\nWhich model should Cadre use?\n');
    const chosen = await chooseRow(terminal, { rows: choices.map(({ text }) => text) });
    if (chosen.kind === 'interrupt') return ok('interrupted');
    const choice = chosen.kind === 'row' ? choices[chosen.index] : undefined;
    if (!choice) return ok('quit');
    const ended = await take(choice, terminal, config.value, around);
    if (!ended.ok) return ended;
    if (ended.value) return ok(ended.value);
  }
}

/** Undefined: no result, and the list is shown again. */
async function take(
  choice: SetupChoice,
  terminal: LineTerminal,
  config: ModelConfig,
  around: Surroundings,
): Promise<Result<SetupEnd | undefined>> {
  if (choice.kind === 'demo' || choice.kind === 'quit') return ok(choice.kind);
  const chosen =
    choice.kind === 'local' ? ok({ model: choice.model }) : await useKey(choice.provider, terminal, config);
  if (!chosen.ok) return chosen;
  if (chosen.value === 'nothing') return ok(undefined);
  const { model } = chosen.value;
  // Without a model in the settings, Anthropic's default is used; but a model set there must not name another provider.
  if (model === undefined && config.settingsModel === undefined) return ok('ready');
  const saved = await saveModel(model, around);
  if (!saved.ok) return saved;
  terminal.show(
    model === undefined
      ? `The model is Anthropic's default (${saved.value}).\n`
      : `The model is ${model} (${saved.value}); use --model to choose another for one run.\n`,
  );
  return ok('ready');
}

async function saveModel(model: string | undefined, around: Surroundings): Promise<Result<string>> {
  const { home, cwd, root, clock, userHome } = around;
  const saved = await changeSettings({ home, cwd, root, userHome }, 'user', clock, (content) => {
    const { model: _, ...rest } = content;
    return ok(model === undefined ? rest : { ...content, model });
  });
  return saved.ok ? ok(saved.value.file) : saved;
}

async function readConfig(around: Surroundings): Promise<Result<ModelConfig>> {
  const settings = await readSettings(around);
  return settings.ok ? ok(createModelConfig(around, settings.value)) : settings;
}
