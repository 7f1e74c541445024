import { existsSync } from 'node:fs';
import { modelStep } from '../agents/steps/model.ts';
import { keepDefined } from '../lib/fields/keep-defined.ts';
import { processMark } from '../lib/processes/mark.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { parseDuration } from '../lib/text/duration.ts';
import { type Account, openAccount } from '../models/budget/account.ts';
import { type Caps, checkBudget, convertCaps } from '../models/budget/caps.ts';
import { deferredLedger } from '../models/budget/deferred-ledger.ts';
import { fileLedger, ledgerPath } from '../models/budget/file-ledger.ts';
import { type Ledger, memoryLedger } from '../models/budget/ledger.ts';
import { seedLedger } from '../models/budget/seed-ledger.ts';
import { reportFromTranscripts } from '../models/budget/transcript-cost.ts';
import { withBudget } from '../models/budget/with-budget.ts';
import { withFallback } from '../models/fallback.ts';
import { openKeyStore } from '../models/keys.ts';
import { resolveOrSuggest } from '../models/list-models.ts';
import { openSearch } from '../models/open-search.ts';
import { describeUnsent } from '../models/pacer/breaker.ts';
import { maxPacedMs } from '../models/pacer/note.ts';
import { type Pacer, sharedPacer } from '../models/pacer/pacer.ts';
import { withPacer } from '../models/pacer/with-pacer.ts';
import { openProviderDirectory } from '../models/providers/directory.ts';
import { type ModelConfig, resolveModel } from '../models/resolve.ts';
import type { WebSearch } from '../models/search.ts';
import { withWholeAnswers } from '../models/whole-answers.ts';
import type { Model, Thinking } from '../protocol/index.ts';
import { readVariable } from '../settings/environment.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { settingsTable } from '../settings/table/settings.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';
import type { SessionOptions } from './options.ts';
import { checkNotLost } from './owner.ts';
import type { Surroundings } from './surroundings.ts';
import type { SessionReel } from './tape.ts';
import type { SharedAccount } from './team-part.ts';

/** The session's model, and how to get another one. Each is paced, may fall back, and is paid from one account. */
export interface Models {
  current: Model;
  /** Null is the model that the session started with. */
  resolve(name: string | null): Result<Model>;
  /** A model that an agent pays for from its own account. Null is the parent's own. */
  forAgent(name: string | null, parent: Model, account: Account): Result<Model>;
  /** Web search, if the provider has it. */
  search: WebSearch | undefined;
  account: Account;
  /** The limits that were given for this session alone. */
  caps: GivenCaps;
  /** Whether requests to a model fail for good: nothing more is sent to it. */
  isBroken(id: string): boolean;
  /** The user did something that may have fixed that: it is tried again, with the key that is stored by then. */
  noteUserAction(): void;
  close(): void;
}

type GivenCaps = Pick<SessionOptions, 'maxBudgetUsd' | 'maxTokens'>;

type ModelNeeds = Pick<Kernel, 'identity' | 'options' | 'place' | 'settings' | 'restored' | 'tape' | 'claim'>;

/** The models of the session and of its agents, and the accounts that pay for them. `options` names the first model. */
export function modelFeature({ options }: { options: SessionOptions }): SessionFeature<{ models: Models }> {
  return {
    name: 'models',
    async open(kernel) {
      const chosen = await chooseModel({ ...kernel, options });
      if (!chosen.ok) return chosen;
      const { current, forAgent, close } = chosen.value;
      return {
        models: chosen.value,
        agentSteps: [modelStep({ findModel: forAgent, noThinking: options.thinking?.type === 'off' })],
        notices: thinkingNotices(options.thinking, current),
        close: () => void close(),
      };
    },
  };
}

/** The tape, if any, is outermost: the effects of pacing and budget on a request are on it. */
async function chooseModel(needs: ModelNeeds): Promise<Result<Models>> {
  const { options, restored, tape: reel } = needs;
  if (reel?.isReplay) return replayedModels(reel, needs);
  const models = await openModels(needs);
  if (!models.ok || !reel) return models;
  const named = options.model ?? restored?.state?.model;
  const first = reel.openModel(typeof named === 'object' ? named.id : (named ?? ''), () =>
    ok(models.value.current),
  );
  if (!first.ok) return first;
  const resolve = (name: string | null) =>
    name === null ? first : reel.openModel(name, () => models.value.resolve(name));
  const forAgent: Models['forAgent'] = (name, parent, account) =>
    reel.openModel(name ?? parent.id, () => models.value.forAgent(name ?? parent.id, parent, account));
  return ok({ ...models.value, current: first.value, resolve, forAgent });
}

/** A replay needs neither key nor network. It spends nothing, but counts what was used. */
function replayedModels(reel: SessionReel, { options, place: around }: ModelNeeds): Result<Models> {
  const none = () => usage('A replay sends no requests to a model.');
  const named = typeof options.model === 'object' ? options.model.id : (options.model ?? '');
  const ledger = memoryLedger();
  const parts = { ...around.outside, owner: processMark(process.pid) };
  const findReelModel = (name: string) => {
    const found = reel.openModel(name, none);
    return found.ok ? ok(withUsageNoted(found.value, ledger, parts)) : found;
  };
  const first = findReelModel(named);
  if (!first.ok) return first;
  const account = openAccount({ ledger, ...parts });
  if (!account.ok) return account;
  return ok({
    current: first.value,
    resolve: (name) => (name === null ? first : findReelModel(name)),
    forAgent: (name, parent) => findReelModel(name ?? parent.id),
    search: first.value.id.startsWith('anthropic/') ? searchOnTape : undefined,
    account: account.value,
    caps: {},
    isBroken: () => false,
    noteUserAction: () => {},
    close: () => ledger.close(),
  });
}

/** The answers of a tape, each booked to the agent that asked, at no cost. */
function withUsageNoted(model: Model, ledger: Ledger, parts: Parameters<typeof seedLedger>[2]): Model {
  return {
    ...model,
    async *stream(request, signal) {
      const row = { agentId: request.asker?.agentId ?? null, model: model.id, microUsd: 0 };
      for await (const event of model.stream(request, signal)) {
        if (event.type === 'response_ended')
          seedLedger(ledger, [{ ...row, usage: event.message.usage, requests: 1, estimated: 0 }], parts);
        yield event;
      }
    },
  };
}

/** The tool must exist as it did; its results are on the tape. */
const searchOnTape: WebSearch = {
  url: 'https://api.anthropic.com/v1',
  find: async () => failure('A replay does not search the web.'),
};

async function openModels(needs: ModelNeeds): Promise<Result<Models>> {
  const { options, place: around, settings, restored } = needs;
  const config: ModelConfig = { ...createModelConfig(around, settings), asked: new Map() };
  const named = options.model ?? restored?.state?.model;
  const first = typeof named === 'object' ? ok(named) : await resolveOrSuggest(named, config);
  if (!first.ok) return first;
  const fallback = await findFallback(options.fallbackModel ?? settings.fallbackModel, config);
  if (!fallback.ok) return fallback;
  const caps = buildCaps(needs);
  const priced = checkBudget(caps, listModelIds(first.value, fallback.value), settings.modelPricing);
  if (!priced.ok) return priced;
  const ledger = await openLedger(needs, caps);
  if (!ledger.ok) return ledger;
  const account = openAccount({
    ledger: ledger.value,
    caps,
    shared: options.teamPart?.account,
    overrides: settings.modelPricing,
    clock: around.outside.clock,
    ids: around.outside.ids,
    owner: processMark(process.pid),
  });
  if (!account.ok) return account;
  // The model below each prepared one, for agents that pay from another account.
  const bare = new Map<string, Model>();
  const prepareForPayer = (model: Model, payer: Account) => {
    bare.set(model.id, model);
    return prepareModel(model, fallback.value, payer, needs);
  };
  const prepare = (model: Model) => prepareForPayer(model, account.value);
  const current = prepare(first.value);
  const resolveForPayer = (name: string, payer: Account): Result<Model> => {
    const known = bare.get(name);
    const found = known ? ok(known) : resolveModel(name, config);
    if (!found.ok) return found;
    const affordable = checkBudget(caps, found.value.id, settings.modelPricing);
    return affordable.ok ? ok(prepareForPayer(found.value, payer)) : affordable;
  };
  const findBreak = (id: string) => {
    const used = bare.get(id);
    return used && openPacer(around).findBreak(used);
  };
  // No agent is started for requests that cannot succeed.
  const resolveForAgent = (name: string, payer: Account): Result<Model> => {
    const found = resolveForPayer(name, payer);
    const broken = found.ok ? findBreak(found.value.id) : undefined;
    return broken ? failure(describeUnsent(broken).message) : found;
  };
  const resolve = (name: string) => resolveForPayer(name, account.value);
  return ok({
    current,
    resolve: (name) => (name === null ? ok(current) : resolve(name)),
    forAgent: (name, parent, payer) => resolveForAgent(name ?? parent.id, payer),
    search: typeof named === 'object' ? undefined : openSearch(named, config, prepare),
    account: account.value,
    caps: findCaps(needs),
    isBroken: (id) => findBreak(id) !== undefined,
    noteUserAction() {
      const broken = [...bare.keys()].filter(findBreak);
      for (const id of broken) bare.delete(id);
      // Another one may have been stored since.
      if (broken.length > 0) config.keys = openKeyStore(around.home);
      openPacer(around).noteUserAction();
    },
    close: () => ledger.value.close(),
  });
}

async function findFallback(
  name: string | undefined,
  config: ModelConfig,
): Promise<Result<Model | undefined>> {
  return name === undefined ? ok(undefined) : resolveOrSuggest(name, config);
}

/** A caller's own model is not paced, since the caller decides when to ask it. Broken answers are asked for again. */
function prepareModel(model: Model, fallback: Model | undefined, account: Account, needs: ModelNeeds): Model {
  const { options, place: around, settings } = needs;
  const pacer = openPacer(around);
  const pacing = { maxWaitMs: findMaxWait(needs) };
  const isOwn = model === options.model;
  const paced = isOwn ? withWholeAnswers(model, around.outside.clock) : withPacer(model, pacer, pacing);
  const steady = fallback ? withFallback(paced, withPacer(fallback, pacer, pacing)) : paced;
  return withBudget(steady, account, {
    overrides: settings.modelPricing,
    ...(fallback ? { fallbacks: [fallback.id] } : {}),
  });
}

function openPacer({ home, outside }: Surroundings): Pacer {
  return sharedPacer({ home, clock: outside.clock, random: Math.random });
}

/** How long a request may wait for limits to reset. Pacing is always waited for, so 0 is not nothing. */
function findMaxWait({ options, place, settings }: ModelNeeds): number {
  const { wait = readVariable(settingsTable.wait, place.environment) ?? settings.wait } = options;
  return parseDuration(wait ?? (options.oneShot ? '0' : usualWait)) || maxPacedMs;
}

const usualWait = '6h';

function buildCaps(needs: ModelNeeds): Caps {
  const shared = needs.options.teamPart?.account;
  if (shared) return convertCaps(findLowest(shared));
  const given = findCaps(needs);
  const maxBudgetUsd = given.maxBudgetUsd ?? needs.settings.maxBudgetUsd;
  const maxTokens = given.maxTokens ?? needs.settings.maxTokens;
  return convertCaps({ maxBudgetUsd, maxTokens });
}

/** What a teammate with an account in its leader's ledger can spend at most. */
function findLowest({ limits }: SharedAccount): GivenCaps {
  const lowest = (unit: 'microUsd' | 'tokens') =>
    limits.flatMap((limit) => limit[unit] ?? []).sort((a, b) => a - b)[0];
  const [microUsd, maxTokens] = [lowest('microUsd'), lowest('tokens')];
  return keepDefined({
    maxBudgetUsd: microUsd === undefined ? undefined : microUsd / 1_000_000,
    maxTokens,
  });
}

/** Suspended work continues within the limits that it began with, unless there are others now. */
function findCaps({ options, restored }: ModelNeeds): GivenCaps {
  const { maxBudgetUsd, maxTokens, teamPart } = options;
  if (teamPart) return findLowest(teamPart.account);
  if (!restored?.suspended || maxBudgetUsd !== undefined || maxTokens !== undefined)
    return { maxBudgetUsd, maxTokens };
  return { maxBudgetUsd: restored.state?.maxBudgetUsd, maxTokens: restored.state?.maxTokens };
}

/** One ledger for all processes of the session, and for when it is resumed. */
async function openLedger(needs: ModelNeeds, caps: Caps): Promise<Result<Ledger>> {
  const { identity, options, place: around, settings } = needs;
  if (options.persist === false) return ok(memoryLedger());
  const shared = options.teamPart?.account;
  const path = shared?.ledger ?? ledgerPath(identity.files.directory);
  const parts = { ...around.outside, owner: processMark(process.pid) };
  const isNew = !existsSync(path);
  const check = () => checkNotLost(needs.claim);
  const isCapped = Object.keys(caps).length > 0;
  const opened = isCapped
    ? ok(fileLedger(path, check))
    : deferredLedger(path, { clock: around.outside.clock, check });
  if (!opened.ok || !isNew || !identity.goesOn || shared) return opened;
  const before = await reportFromTranscripts(identity.files.transcript, [], settings.modelPricing);
  if (!before.ok) return before;
  const seeded = seedLedger(opened.value, before.value.rows, parts);
  return seeded.ok ? opened : seeded;
}

function listModelIds(model: Model, fallback: Model | undefined): string[] {
  return fallback ? [model.id, fallback.id] : [model.id];
}

/** The input for resolving a model's name here: environment, keys, settings, and added providers. */
export function createModelConfig(
  { environment, home, outside }: Surroundings,
  { env, model, modelAliases }: Pick<LoadedSettings, 'env' | 'model' | 'modelAliases'>,
): ModelConfig {
  return {
    env: { ...environment, ...env },
    keys: openKeyStore(home),
    clock: outside.clock,
    aliases: modelAliases,
    added: openProviderDirectory(home),
    ...(model === undefined ? {} : { settingsModel: model }),
  };
}

/** A thinking option that the model does not support is reported, never changed silently. */
function thinkingNotices(wanted: Thinking | undefined, { id, facts }: Model): string[] {
  if (!wanted || !facts.known || facts.thinking.includes(wanted.type)) return [];
  if (facts.thinking.length === 0)
    return wanted.type === 'off' ? [] : [`${id} does not support thinking; requests are sent without it.`];
  if (wanted.type === 'off') return [`${id} always thinks; it will think as little as possible.`];
  if (wanted.type === 'adaptive')
    return [`${id} needs a token budget for thinking; Cadre gives it up to half of each answer.`];
  return [`${id} decides itself how much to think; the token budget for thinking is ignored.`];
}
