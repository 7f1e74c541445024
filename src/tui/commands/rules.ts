import type { Rule, RuleBehaviour, SettingsDestination } from '../../protocol/permission.ts';
import { findSavedLayer, type Saved } from '../../settings/change-settings.ts';
import { parseKnownRule } from '../../settings/known-tools.ts';
import { formatRule } from '../../settings/rules.ts';
import { replaceRule, savePermissions } from '../../settings/save-permissions.ts';
import type { Desk } from '../desk.ts';
import { createEditor } from '../editor/index.ts';
import { modeLabel } from '../screen/status-line.ts';
import type { Panel, PickRow } from '../state.ts';
import { chooseLayer } from './choose-layer.ts';
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
  const around = findSurroundings(desk);
  const { permissionMode } = desk.session.info();
  const rules = behaviours.flatMap((behaviour) =>
    settings.value.rules.filter((rule) => rule.behaviour === behaviour),
  );
  const rows = rules.map((rule, index): PickRow => {
    const where = findRuleLayer(around, rule);
    return {
      value: String(index),
      label: `${rule.behaviour.padEnd(5)}  ${formatRule(rule)}`,
      note: rule.setting === undefined ? rule.source : `${rule.setting}, ${rule.source}`,
      preview: [
        `${explanations[rule.behaviour]}: ${formatRule(rule)}`,
        '',
        `File: ${rule.source}`,
        where === undefined ? explainFixed(rule) : '',
      ].join('\n'),
    };
  });
  const answered: PickRow = {
    value: 'audit',
    label: 'questions asked and answered in this session',
    preview: 'What was asked, by which agent, and how it was answered.',
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
        fits: ({ value }) => value !== answered.value,
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
    pick: ({ value }) => {
      const behaviour = value === 'deny' || value === 'ask' ? value : 'allow';
      chooseLayer(desk, `Where does "${behaviour}" apply?`, back, (layer) =>
        typeRule(desk, behaviour, layer, back),
      );
    },
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
      const around = findSurroundings(desk);
      const read = parseKnownRule(text, { behaviour, layer: destination, source: 'you', base: around.root });
      if (!read.ok) return [read.problem.message, read.problem.hint].filter(Boolean).join(' ');
      const saved = before
        ? await replaceRule(before, read.value, destination, around, around.outside.clock)
        : await save(desk, { type: 'add_rules', rules: [read.value], destination }, destination);
      if (!saved.ok) return [saved.problem.message, saved.problem.hint].filter(Boolean).join(' ');
      await openRules(desk, describeSaved(saved.value));
      return undefined;
    },
  });
}

function editRule(desk: Desk, rule: Rule | undefined): void {
  if (!rule) return;
  const destination = findRuleLayer(findSurroundings(desk), rule);
  if (destination) typeRule(desk, rule.behaviour, destination, desk.app.state.panel, rule);
  else void openRules(desk, explainFixed(rule));
}

async function remove(desk: Desk, rule: Rule | undefined): Promise<void> {
  if (!rule) return;
  const destination = findRuleLayer(findSurroundings(desk), rule);
  if (!destination) return openRules(desk, explainFixed(rule));
  const done = await save(desk, { type: 'remove_rules', rules: [rule], destination }, destination);
  const said = done.ok
    ? `Removed ${formatRule(rule)} from ${done.value.file}. This session keeps it until it ends.`
    : done.problem.message;
  await openRules(desk, said);
}

/** Where Cadre can change it; a setting of another kind is no entry of a list of rules. */
function findRuleLayer(around: ReturnType<typeof findSurroundings>, { setting, source }: Rule) {
  return setting === undefined ? findSavedLayer(around, source) : undefined;
}

function explainFixed({ layer, source, setting }: Rule): string {
  if (setting !== undefined && layer !== 'managed')
    return `It comes from ${setting} in ${source}: change it there.`;
  return layer === 'managed'
    ? `This rule is managed: ${source} sets it, and only an administrator can change it.`
    : `Cadre does not write ${source}: change the rule there.`;
}

export function describeSaved({ file, inForce }: Saved): string {
  return inForce
    ? `Saved in ${file}. New sessions use it; /fork continues this one with it.`
    : `Saved in ${file}. It takes effect once you trust the rest of that file: cadre trust.`;
}

function save(desk: Desk, update: Parameters<typeof savePermissions>[0], destination: SettingsDestination) {
  const around = findSurroundings(desk);
  return savePermissions(update, destination, around, around.outside.clock);
}
