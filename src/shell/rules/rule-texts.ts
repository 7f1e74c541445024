import { resolvePath } from '../../places/paths.ts';
import type { Decision, Rule } from '../../protocol/permission.ts';
import { findRuleOfObject } from '../git/stores.ts';
import type { LoosePart } from '../judge/line-texts.ts';
import { listPartDirectories, resolveName } from '../judge/own-texts.ts';
import { mayMeetRule, type OpenCase } from '../judge/shell-case.ts';
import { openCover } from './rule-cover.ts';

/**
 * A rule about a file that some part of the text names, in a command that may open whatever it is given: `cat $(echo x)`,
 * `python3 -c "open('x')"`. Whether it does is unknown, so it is asked about, in every mode.
 */
export function judgeTexts(given: OpenCase, part: LoosePart, tokens: readonly string[]): Decision[] {
  const rules = given.refusing.filter(
    ({ tool, specifier }) => specifier !== undefined && (tool === 'Read' || tool === 'Edit'),
  );
  // In the sandbox most refused files are hidden or read-only: the effect of a program's text is not asked about there.
  if (rules.length === 0 || (given.inside && part.kind === 'unproven')) return [];
  const named = tokens.filter((token) => part.kind === 'fed' || /[./]/.test(token)).filter(isPlain);
  const { workspace } = given.call;
  const paths = [
    ...new Set(named.flatMap((token) => resolveName(token, listPartDirectories(part), workspace))),
  ];
  const rule = rules.find((one) => isAboutAny(one, paths, given)) ?? findStored(rules, paths, given);
  return rule ? [mayMeetRule(rule)] : [];
}

function isAboutAny(rule: Rule, paths: readonly string[], { call: { workspace } }: OpenCase): boolean {
  const isAbout = openCover(rule, rule.tool === 'Edit' ? 'write' : 'read', workspace);
  return paths.some((path) => isAbout(path, workspace.realPath(path)));
}

/** Files of git, which may be those that a rule is about. */
function findStored(
  rules: readonly Rule[],
  paths: readonly string[],
  { call: { workspace } }: OpenCase,
): Rule | undefined {
  for (const path of paths) {
    const rule = findRuleOfObject(resolvePath(path, workspace), rules, workspace);
    if (rule) return rule;
  }
  return undefined;
}

/** No part of it is computed, and program text is never this long. */
function isPlain(token: string): boolean {
  return token.length < maxName && !/[$`*?[\]]/.test(token) && !/^[./]*$/.test(token);
}

const maxName = 1024;
