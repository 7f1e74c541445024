interface Rule {
  needs: string[];
  recipe: string[];
}

/** Lines that change how every recipe runs, or that bring others. */
const general =
  /^(?:(?:export |override )*(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS)\b|\.(?:IGNORE|ONESHELL|DEFAULT)\b|[-s]?include |set |import )/;
const conditional = /^\s*(?:ifeq|ifneq|ifdef|ifndef|else|endif)\b/;
const assignment = /^\s*(?:(?:export|override) )*(\w+)\s*[:?+!]{0,3}=/;

/**
 * What a target of a makefile or a recipe of a justfile runs: its commands, those of targets that only stand for others, the
 * variables in them, and what changes how all of them run. The files that a target is built from are not among it.
 */
export function readRule(text: string, target: string, program: 'make' | 'just'): string {
  const { rules, phony, variables, lines } = readLines(text);
  const said = new Map<string, string>();
  const visit = (name: string) => {
    const rule = rules.get(name);
    if (!rule || said.has(name)) return;
    said.set(name, rule.recipe.join('\n'));
    for (const need of rule.needs) if (program === 'just' || phony.has(need)) visit(need);
  };
  visit(target);
  const all = [...said].map(([name, recipe]) => `${name}:\n${recipe}`);
  const used = new Set<string>();
  for (const part of all)
    for (const [, one, other] of part.matchAll(/\$[({](\w+)|\{\{\s*(\w+)/g)) {
      const name = one ?? other ?? '';
      if (used.has(name)) continue;
      used.add(name);
      // The loop goes on with what these name.
      all.push(...(variables.get(name) ?? []));
    }
  return [...all, ...lines].join('\n');
}

function readLines(text: string) {
  const rules = new Map<string, Rule>();
  const phony = new Set<string>();
  const variables = new Map<string, string[]>();
  const lines: string[] = [];
  let current: Rule[] = [];
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    if (/^[\t ]+\S/.test(line) || (current.length > 0 && conditional.test(line))) {
      for (const { recipe } of current) recipe.push(line.trim());
      continue;
    }
    if (general.test(line)) lines.push(line);
    const variable = assignment.exec(line)?.[1];
    const found = readHead(line);
    if (variable !== undefined) variables.set(variable, [...(variables.get(variable) ?? []), line]);
    else if (line.startsWith('.PHONY')) for (const name of splitWords(line.slice(7))) phony.add(name);
    else if (found) {
      current = found.names.map((name) => rules.get(name) ?? newRule(rules, name));
      for (const { needs, recipe } of current) {
        needs.push(...splitWords(found.needs));
        // A variable of this target alone, or a recipe in the same line.
        if (assignment.test(found.needs)) recipe.push(found.needs.trim());
        if (found.command !== undefined) recipe.push(found.command.trim());
      }
    } else if (line.trim() !== '' && !line.startsWith('#')) current = [];
  }
  return { rules, phony, variables, lines };
}

/** `a b: c d ; command`. Without an expression that could go back and forth over a long line. */
export function readHead(
  line: string,
): { names: string[]; needs: string; command: string | undefined } | undefined {
  const colon = line.indexOf(':');
  const names = line.slice(0, Math.max(0, colon)).replace(/^@/, '');
  const rest = line.slice(colon + 1).replace(/^:/, '');
  if (!/^[\w./%-][\w ./%-]*$/.test(names) || rest.startsWith('=')) return undefined;
  const end = rest.indexOf('#');
  const [needs = '', ...command] = (end < 0 ? rest : rest.slice(0, end)).split(';');
  return { names: splitWords(names), needs, command: command.length > 0 ? command.join(';') : undefined };
}

function newRule(rules: Map<string, Rule>, name: string): Rule {
  const rule = { needs: [], recipe: [] };
  rules.set(name, rule);
  return rule;
}

function splitWords(text: string): string[] {
  return text.split(/[\s:]+/).filter((word) => word !== '');
}
