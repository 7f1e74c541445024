import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Rule, RuleBehaviour } from '../protocol/permission.ts';
import { findRepeatedKey, parseJson } from './json.ts';
import { type OtherTools, parseKnownRule } from './known-tools.ts';
import type { LoadedSettings } from './loaded.ts';
import { type Held, mergeLayers, type SettingsLayerContent } from './merge.ts';
import {
  howToCorrect,
  readPlace,
  type SettingsLookup,
  type SettingsPlace,
  settingsPlaces,
} from './places.ts';
import type { FileText } from './read-file.ts';
import { settingsPiece } from './trust/settings-piece.ts';
import { openTrust, pieceFile, type Trust } from './trust.ts';

const behaviours: readonly RuleBehaviour[] = ['deny', 'ask', 'allow'];

export type { HeldSetting, LoadedSettings, SettingOrigin } from './loaded.ts';

/**
 * Reads all settings layers. Anything invalid is a usage problem: a silently skipped deny rule would be worse
 * than a program that does not start.
 */
export async function loadSettings(options: SettingsLookup): Promise<Result<LoadedSettings>> {
  const present: (FileText & { place: SettingsPlace })[] = [];
  for (const place of settingsPlaces(options)) {
    const read = readPlace(place, place.root ?? options.root);
    if (!read.ok) return read;
    if (read.value !== undefined) present.push({ place, ...read.value });
  }
  const trust = options.trust ?? openTrust({ ...options, everything: options.trusted });
  // Settings of the main checkout are trusted there.
  const openRootTrust = (root: string | undefined) =>
    root === undefined ? trust : openTrust({ ...options, root, everything: options.trusted });
  const layers: SettingsLayerContent[] = [];
  for (const { place, text, leadsTo } of present) {
    const json = parsePlace(place, text);
    if (!json.ok) return json;
    const content = await checkPlace(place, json.value, text);
    if (!content.ok) return content;
    const held = place.fromRepository
      ? findHold(place.file, json.value, leadsTo, place.root ?? options.root, openRootTrust(place.root))
      : undefined;
    const rules = await readRules(place, content.value, text, options.otherTools);
    if (!rules.ok) return rules;
    layers.push({ place, content: content.value, rules: rules.value, held });
  }
  const merged = mergeLayers(layers, options);
  const problem = layers.some((layer) => layer.held) ? trust.problem() : undefined;
  return ok(problem ? { ...merged, trustProblem: problem.message } : merged);
}

/** A file with trusted privileges is not held. One without any is: whatever it says, it only narrows. */
function findHold(
  file: string,
  json: unknown,
  leadsTo: string | undefined,
  root: string,
  trust: Trust,
): Held | undefined {
  const found = settingsPiece(pieceFile(root, file), json);
  const piece = found && leadsTo !== undefined ? { ...found, leadsTo } : found;
  if (piece && trust.isTrusted(piece)) return undefined;
  if (leadsTo !== undefined) return { leadsTo };
  return piece && trust.findStanding(piece) === 'changed' ? { changed: true } : {};
}

/** An empty file, as `touch` leaves it, has no settings. */
export function parsePlace(
  place: Pick<SettingsPlace, 'file'> & Partial<SettingsPlace>,
  text: string,
): Result<unknown> {
  if (text.trim() === '') return ok({});
  const json = parseJson(text);
  const repeated = json.ok ? findRepeatedKey(text) : undefined;
  if (repeated) {
    const { line, column, key } = repeated;
    return usage(
      `${place.file}:${line}:${column}: ${visibleLine(key, 200)} is given twice; expected it once, since only the last would apply`,
      howToCorrect(place),
    );
  }
  if (json.ok) return json;
  const { line, column, expected } = json.problem;
  return usage(`${place.file}:${line}:${column}: not valid JSON: expected ${expected}`, howToCorrect(place));
}

async function checkPlace(
  place: SettingsPlace,
  json: unknown,
  text: string,
): Promise<Result<SettingsLayerContent['content']>> {
  const { checkSettings } = await import('./schema.ts');
  const checked = checkSettings(json);
  if (checked.ok) return checked;
  const { path, field, expected, found } = checked.problem;
  const { placeInJson } = await import('./json-edit.ts');
  const { line, column } = placeInJson(text, path);
  return usage(
    `${place.file}:${line}:${column}: ${field === '' ? 'settings' : field}: expected ${expected}, found ${found}`,
    howToCorrect(place),
  );
}

async function readRules(
  { layer, file, base }: SettingsPlace,
  { permissions }: SettingsLayerContent['content'],
  text: string,
  others: OtherTools | undefined,
): Promise<Result<Rule[]>> {
  const rules: Rule[] = [];
  for (const behaviour of behaviours)
    for (const [index, written] of (permissions?.[behaviour] ?? []).entries()) {
      const rule = parseKnownRule(written, { behaviour, layer, source: file, base, others });
      if (!rule.ok) {
        const { placeInJson } = await import('./json-edit.ts');
        const { line, column } = placeInJson(text, ['permissions', behaviour, index]);
        return usage(
          rule.problem.message.replace(file, () => `${file}:${line}:${column}`),
          rule.problem.hint,
        );
      }
      rules.push(rule.value);
    }
  return ok(rules);
}
