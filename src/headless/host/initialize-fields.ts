import { isRecord } from '../../lib/fields/field-values.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { ControlRequest } from './wire.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isSwitch: Check = (value) => typeof value === 'boolean';
const isList: Check = (value) => Array.isArray(value);
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isAnything: Check = () => true;

/** The fields that this version acts on, or that only say what the host can do. */
const known: Readonly<Record<string, { fits: Check; expected: string }>> = {
  subtype: { fits: isText, expected: 'initialize' },
  systemPrompt: {
    fits: (value) => isText(value) || isTexts(value),
    expected: 'a string or a list of strings',
  },
  appendSystemPrompt: { fits: isText, expected: 'a text' },
  // Prompts are rendered once for a session, whatever this says.
  systemPromptSnapshot: { fits: isSwitch, expected: 'true or false' },
  planModeInstructions: { fits: isText, expected: 'a text' },
  title: { fits: isText, expected: 'a text' },
  jsonSchema: { fits: isRecord, expected: 'a JSON schema' },
  forwardSubagentText: { fits: isSwitch, expected: 'true or false' },
  mcpServers: { fits: isRecord, expected: 'an object of servers by name' },
  sdkMcpServers: { fits: isTexts, expected: 'a list of names' },
  sdkMcpServerConfigs: { fits: isRecord, expected: 'an object of servers by name' },
  // A shortcut for what is asked of the servers anyway; the answer says that it was not taken.
  sdkMcpServerManifests: { fits: isRecord, expected: 'an object of servers by name' },
  sdkMcpServerManifestsOrigin: { fits: isText, expected: 'a text' },
  // No dialog is ever sent, and background work outlives an interrupt for every host.
  supportedDialogKinds: { fits: isTexts, expected: 'a list of names' },
  perTaskStopAffordance: { fits: isSwitch, expected: 'true or false' },
  plugins: { fits: isList, expected: 'a list of {"type":"local","path":"…"}' },
  // These say themselves what is wrong with them.
  agents: { fits: isAnything, expected: '' },
  hooks: { fits: isAnything, expected: '' },
  skills: { fits: isAnything, expected: '' },
};

/** Refuses what this version does not do. Ignoring it would break a host's promise to its user. */
export function checkFields(request: ControlRequest['request']): Result<void> {
  for (const [name, value] of Object.entries(request)) {
    if (!asksForSomething(value)) continue;
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!field)
      return usage(
        `The host's initialize request uses "${visibleLine(name, 100)}", which this version does not support.`,
        'Leave it out.',
      );
    if (!field.fits(value))
      return usage(`The host's initialize request, ${name}: expected ${field.expected}.`, 'Leave it out.');
  }
  return ok(undefined);
}

function asksForSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value === 'object' ? Object.keys(value).length > 0 : true;
}

/** The directories of `plugins`. */
export function readPlugins(given: unknown): Result<string[]> {
  const directories: string[] = [];
  for (const plugin of Array.isArray(given) ? given : []) {
    const { type, path, skipMcpDiscovery } = Object(plugin);
    if (type !== 'local' || typeof path !== 'string' || path === '')
      return usage(
        'The host\'s initialize request, plugins: expected a list of {"type":"local","path":"…"}.',
        'Leave it out.',
      );
    if (skipMcpDiscovery === true)
      return usage(
        `The host's initialize request, plugins: skipMcpDiscovery (${visibleLine(path, 200)}) is not supported in this version.`,
        'Leave it out.',
      );
    directories.push(path);
  }
  return ok(directories);
}
