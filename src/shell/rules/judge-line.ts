import type { Rule } from '../../protocol/permission.ts';
import { findTokens } from '../grammar/tokens.ts';
import type { Match } from '../grammar/types.ts';
import { findLooseParts } from '../judge/line-texts.ts';
import { runsUnseenText } from '../judge/passed-texts.ts';
import { followProgram, makesLink } from '../programs/linked-programs.ts';
import { readScript, type ShellAccess, type ShellPlace } from '../walk/script.ts';
import { foldWords, mayHold, refuses } from './rules.ts';

export { isBroadGrant } from './broad-grant.ts';

/** The rules with a specifier that apply to a command line as a whole. */
export interface ShellJudgement {
  deny?: Rule;
  ask?: Rule;
  /** Names exactly this text. Rules that allow only a part of it are found with the parts. */
  allow?: Rule;
  /** A refusing or asking rule that may apply: a word is computed, or some of it could not be parsed. */
  unclear?: Rule;
}

export function judgeShell(access: ShellAccess, rules: readonly Rule[], place: ShellPlace): ShellJudgement {
  const text = access.command.trim();
  const isWhole = (rule: Rule) => rule.specifier?.trim() === text;
  const allow = rules.find((rule) => rule.behaviour === 'allow' && isWhole(rule));
  const refusing = rules.filter((rule) => rule.behaviour !== 'allow');
  if (refusing.length === 0) return allow ? { allow } : {};
  const script = readScript(access, place);
  const isUnseen = script.parsed.isUnread || script.parsed.runsUnseen || runsUnseenText(script);
  const all = script.all.flatMap(({ command }) => {
    const words = foldWords(command);
    return [words, ...followProgram(command, words, place.realPath)].map((one) => ({ command, words: one }));
  });
  const loose = findLooseParts(script).flatMap(({ kind, texts, printed }) =>
    kind === 'unproven' ? [[...texts, ...printed]] : [],
  );
  const mentions = loose.map((texts) => ({
    tokens: texts.flatMap((one) => findTokens(one, { home: place.userHome, directory: access.cwd })),
    text: texts.join(' '),
  }));
  const isMentioned = (rule: Rule) => mentions.some((one) => mayHold(rule, one.tokens, one.text));
  const matchRule = (rule: Rule): Match => {
    if (isWhole(rule)) return 'yes';
    const matches = all.map(({ command, words }) => refuses(rule, command, words));
    if (matches.includes('yes')) return 'yes';
    return isUnseen || matches.includes('maybe') || isMentioned(rule) || makesLink(rule, script)
      ? 'maybe'
      : 'no';
  };
  const found = refusing.map((rule) => ({ rule, match: matchRule(rule) }));
  const first = (behaviour: Rule['behaviour']) =>
    found.find(({ rule, match }) => match === 'yes' && rule.behaviour === behaviour)?.rule;
  const [deny, ask, unclear] = [
    first('deny'),
    first('ask'),
    found.find(({ match }) => match === 'maybe')?.rule,
  ];
  return {
    ...(deny ? { deny } : {}),
    ...(ask ? { ask } : {}),
    ...(allow ? { allow } : {}),
    ...(unclear ? { unclear } : {}),
  };
}
