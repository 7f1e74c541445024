import { mkdirSync } from 'node:fs';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { type FakeProvider, fakeProvider, type TurnMaker } from '../../src/testing/index.ts';
import { follow, type Opened, place } from '../session/support.ts';

/** A session whose requests go over a real wire, so that what counts is the bytes that arrive. */
export interface Wired extends Opened, AsyncDisposable {
  provider: FakeProvider;
  cwd: string;
  /** Bodies as received, without marks of the cache, which move from turn to turn. */
  bodies(): string[];
}

export async function openWired(
  script: TurnMaker,
  options: SessionOptions = {},
  at = place(),
): Promise<Wired> {
  mkdirSync(at.cwd, { recursive: true });
  const provider = await fakeProvider({ script });
  const opened = await openSession({
    cwd: at.cwd,
    environment: { ...at.environment, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'test-key-1' },
    model: 'anthropic/claude-sonnet-5-5',
    ...options,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return {
    ...follow(opened.value, undefined as never),
    provider,
    cwd: at.cwd,
    bodies: () =>
      provider.requests.map(({ body }) =>
        body.toString().replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
      ),
    async [Symbol.asyncDispose]() {
      await opened.value.close();
      await provider.close();
    },
  };
}

/** The part of a body that a cache can hold: tools, system, messages, one after the other as providers take them. */
export function cacheable(body: string): { tools: string; system: string; messages: unknown[] } {
  const { tools, system, messages } = JSON.parse(body);
  return { tools: JSON.stringify(tools), system: JSON.stringify(system), messages };
}
