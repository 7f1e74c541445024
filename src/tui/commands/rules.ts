import type { Rule, RuleBehaviour, SettingsDestination } from '../../protocol/permission.ts';
import { parseKnownRule } from '../../settings/known-tools.ts';
import { formatRule } from '../../settings/rules.ts';
import { savePermissions } from '../../settings/save-permissions.ts';
import type { Desk } from '../desk.ts';
import { createEditor } from '../editor/index.ts';
import { modeLabel } from '../screen/status-line.ts';
import type { Panel, PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { findSurroundings, settingsNow } from './places.ts';

const behaviours: readonly RuleBehaviour[] = ['deny', 'ask', 'allow'];

export const permissionsCommand: SlashCommand = {
  name: 'permissions',
  description: 'rules: add, change, remove; and the questions answered so far',
  run: (_, desk) => openRules(desk),
};

async function openRules(desk: Desk, said?: string, selected = 0): Promise<void> {
  const settings = await settingsNow(desk);
  if (!settings.ok) return desk.warn(settings.problem.message);
  const { permissionMode } = desk.session.info();
  const rules = behaviours.flatMap((behaviour) =>
    settings.value.rules.filter((rule) => rule.behaviour === behaviour),
  );
  const rows = rules.map((rule, index): PickRow => {
    const where = findDestination(rule);
    return {
      value: String(index),
      label: `${rule.behaviour.padEnd(5)}  ${formatRule(rule)}`,
      note: rule.source,
      preview: [
        `${explanations[rule.behaviour]}: ${formatRule(rule)}`,
        '',
        `File: ${rule.source}`,
        where === undefined ? 'This file is not one that Cadre writes: change the rule there.' : '',
      ].join('\n'),
    };
  });
  const answered: PickRow = {
    value: 'audit',
    label: 'questions asked and answered in this session',
    preview: 'Opens the list: what was asked, by which agent, and how it was answered.',
  };
  desk.open({
    kind: 'pick',
    title: `Permissions\nMode: ${permissionMode} (${modeLabel(permissionMode)}); shift-tab changes it. cadre why 'Bash(git push)' explains how a call is decided.`,
    rows: [...rows, answered],
    selected: Math.min(selected, rows.length),
    verb: 'opens',
    staysOpen: true,
    ...(said === undefined ? {} : { said }),
    actions: [
      { key: 'n', does: 'adds a rule', isForRow: false, run: () => chooseBehaviour(desk) },
      {
        key: 'x',
        does: 'removes it',
        isForRow: true,
        run: (row) => void remove(desk, rules[Number(row?.value)]),
      },
    ],
    pick: ({ value }) => (value === 'audit' ? void showAnswers(desk) : editRule(desk, rules[Number(value)])),
  });
}

const explanations: Readonly<Record<RuleBehaviour, string>> = {
  allow: 'Runs without asking',
  ask: 'Always asks',
  deny: 'Never runs',
};

async function showAnswers(desk: Desk): Promise<void> {
  const under = desk.app.state.panel;
  const text = await desk.world.report(['audit', '--session', desk.session.info().id]);
  desk.open({ kind: 'page', title: 'Asked and answered', text, down: 0, ...(under ? { under } : {}) });
}

function chooseBehaviour(desk: Desk): void {
  const back = desk.app.state.panel;
  desk.open({
    kind: 'pick',
    title: 'What should the new rule do?',
    rows: behaviours.toReversed().map((value) => ({ value, label: value, note: explanations[value] })),
    selected: 0,
    ...(back ? { under: back } : {}),
    pick: ({ value }) => chooseFile(desk, value === 'deny' || value === 'ask' ? value : 'allow', back),
  });
}

const settingsDestinations = ['local', 'project', 'user'] as const;

const places: Readonly<Record<SettingsDestination, readonly [label: string, note: string]>> = {
  local: ['this repository, only for you', '.cadre/settings.local.json'],
  project: ['this repository, for everyone', '.cadre/settings.json, to be committed'],
  user: ['all your projects', '~/.cadre/settings.json'],
};

function chooseFile(desk: Desk, behaviour: RuleBehaviour, back: Panel | undefined): void {
  desk.open({
    kind: 'pick',
    title: `Where does "${behaviour}" apply?`,
    rows: settingsDestinations.map((value) => ({ value, label: places[value][0], note: places[value][1] })),
    selected: 0,
    ...(back ? { under: back } : {}),
    pick: ({ value }) =>
      typeRule(desk, behaviour, settingsDestinations.find((one) => one === value) ?? 'local', back),
  });
}

function typeRule(
  desk: Desk,
  behaviour: RuleBehaviour,
  destination: SettingsDestination,
  back: Panel | undefined,
  before?: Rule,
): void {
  desk.open({
    kind: 'field',
    title: before ? `Change the rule (${behaviour})` : `New rule: ${explanations[behaviour].toLowerCase()}`,
    about: 'Bash(npm test), Bash(git log *), Edit(src/**), WebFetch(domain:example.com), mcp__server__tool',
    placeholder: 'Tool(what it is used on)',
    editor: createEditor(before ? formatRule(before) : ''),
    ...(back ? { under: back } : {}),
    save: async (text) => {
      const { root } = findSurroundings(desk);
      const read = parseKnownRule(text, { behaviour, layer: destination, source: 'you', base: root });
      if (!read.ok) return [read.problem.message, read.problem.hint].filter(Boolean).join(' ');
      const added = await save(desk, { type: 'add_rules', rules: [read.value], destination }, destination);
      if (!added.ok) return added.problem.message;
      if (before && formatRule(before) !== formatRule(read.value))
        await save(desk, { type: 'remove_rules', rules: [before], destination }, destination);
      await openRules(
        desk,
        `Saved in ${added.value.file}. New sessions use it; /fork continues this one with it.`,
      );
      return undefined;
    },
  });
}

function editRule(desk: Desk, rule: Rule | undefined): void {
  if (!rule) return;
  const destination = findDestination(rule);
  if (destination) typeRule(desk, rule.behaviour, destination, desk.app.state.panel, rule);
  else void openRules(desk, `Cadre does not write ${rule.source}: change the rule there.`);
}

async function remove(desk: Desk, rule: Rule | undefined): Promise<void> {
  if (!rule) return;
  const destination = findDestination(rule);
  if (!destination) return openRules(desk, `Cadre does not write ${rule.source}: remove the rule there.`);
  const done = await save(desk, { type: 'remove_rules', rules: [rule], destination }, destination);
  const said = done.ok
    ? `Removed ${formatRule(rule)} from ${done.value.file}. This session keeps it until it ends.`
    : done.problem.message;
  await openRules(desk, said);
}

/** Only files of our own are written. */
function findDestination({ layer, source }: Rule): SettingsDestination | undefined {
  const isOurs = /[\\/](?:\.cadre|cadre)[\\/]settings(?:\.local)?\.json$/.test(source) || layer === 'user';
  return isOurs && !source.includes('/.claude/')
    ? settingsDestinations.find((one) => one === layer)
    : undefined;
}

function save(desk: Desk, update: Parameters<typeof savePermissions>[0], destination: SettingsDestination) {
  const around = findSurroundings(desk);
  return savePermissions(update, destination, around, around.outside.clock);
}
