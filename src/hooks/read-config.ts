import { isRecord } from '../lib/fields/field-values.ts';
import { nearNames } from '../lib/text/near-names.ts';
import { visibleLine } from '../lib/text/text.ts';
import { type HookEvent, hookEvents } from '../protocol/index.ts';
import { parseKnownRule } from '../settings/known-tools.ts';
import type { HookEntry, HookSource, ReadHooks } from './entry.ts';
import { eventFacts, laterEvents } from './events.ts';
import { compileMatcher, findMisspelt } from './matcher.ts';
import { readHandler } from './read-handler.ts';

/** More than any user has; a file with more is not a hooks file. */
const maxEntries = 500;

/**
 * `{"<Event>": [{"matcher": "…", "hooks": [{"type": "command", …}]}]}`. Broken entries are explained; the others are
 * used.
 */
export function readHooks(value: unknown, source: HookSource, at = 'hooks'): ReadHooks {
  const reader = new ConfigReader(source);
  if (isRecord(value))
    for (const [event, groups] of Object.entries(value))
      reader.event(event, groups, `${at}.${visibleLine(event, 60)}`);
  else reader.refuse(at, 'expected an object with events as keys');
  return reader.read;
}

class ConfigReader {
  readonly read: ReadHooks = { entries: [], faults: [] };

  constructor(private readonly source: HookSource) {}

  event(name: string, groups: unknown, at: string): void {
    const event = this.#eventOf(name, at);
    if (!event) return;
    if (!Array.isArray(groups)) return void this.refuse(at, 'expected a list');
    for (const [index, group] of groups.entries()) this.#group(event, group, `${at}[${index}]`);
  }

  refuse(field: string, reason: string): void {
    this.read.faults.push({ file: this.source.file, field, reason });
  }

  #eventOf(name: string, at: string): HookEvent | undefined {
    // An agent has no other Stop than the end that its parent waits for.
    const wanted = this.source.kind === 'agent' && name === 'Stop' ? 'SubagentStop' : name;
    const event = hookEvents.find((known) => known === wanted);
    if (event) return event;
    const isLater = laterEvents.includes(name);
    const meant = nearNames(name, hookEvents)[0];
    const unknown = meant === undefined ? 'unknown event' : `unknown event. Did you mean ${meant}?`;
    this.refuse(at, isLater ? 'this event is not supported in this version' : unknown);
    return undefined;
  }

  #group(event: HookEvent, group: unknown, at: string): void {
    if (!isRecord(group)) return void this.refuse(at, 'expected an object with "hooks"');
    const { matcher = '', hooks } = group;
    if (typeof matcher !== 'string') return void this.refuse(`${at}.matcher`, 'expected a string');
    const matches = compileMatcher(matcher);
    if (!matches.ok) return void this.refuse(`${at}.matcher`, matches.problem);
    const misspelt = eventFacts[event].ofTools ? findMisspelt(matcher) : undefined;
    // The other names of the list still count.
    if (misspelt)
      this.refuse(
        `${at}.matcher`,
        `for "${visibleLine(misspelt.name, 60)}", which is not a tool. Did you mean ${misspelt.meant}?`,
      );
    if (!Array.isArray(hooks)) return void this.refuse(`${at}.hooks`, 'expected a list');
    for (const [index, hook] of hooks.entries())
      this.#hook({ event, matcher, matches: matches.value }, hook, `${at}.hooks[${index}]`);
  }

  #hook(when: Pick<HookEntry, 'event' | 'matcher' | 'matches'>, hook: unknown, at: string): void {
    if (!isRecord(hook)) return void this.refuse(at, 'expected an object with "type"');
    const handler = readHandler(hook, this.source);
    if (!handler.ok) return void this.refuse(at, handler.problem);
    const only = this.#onlyFor(hook.if);
    if (!only.ok) return void this.refuse(`${at}.if`, only.problem);
    if (this.read.entries.length >= maxEntries)
      return void this.refuse(at, `ignored: there are more than ${maxEntries} hooks`);
    this.read.entries.push({ ...when, only: only.value, handler: handler.value, source: this.source });
  }

  #onlyFor(text: unknown) {
    if (text === undefined) return { ok: true as const, value: undefined };
    if (typeof text !== 'string') return { ok: false as const, problem: 'expected a permission rule' };
    const { file: source, base } = this.source;
    const place = { behaviour: 'ask', layer: 'session', source, base, others: 'unnamed' } as const;
    const rule = parseKnownRule(text, place);
    return rule.ok ? rule : { ok: false as const, problem: rule.problem.message };
  }
}
