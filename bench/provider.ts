import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SeenRequest, Step } from './steps.ts';

export interface Provider {
  baseUrl: string;
  /** Forgets earlier requests and answers the next ones with these steps, then with text. */
  load(steps: Step[]): Promise<void>;
  seen(): Promise<SeenRequest[]>;
  stop(): void;
}

/** Starts the server in a separate process and warms it up. */
export async function startProvider(): Promise<Provider> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const firstLine = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) =>
      reject(new Error(`bench/server.ts ended with code ${code} before it listened`)),
    );
  });
  const { port } = JSON.parse(firstLine) as { port: number };
  const baseUrl = `http://127.0.0.1:${port}`;
  await warmUp(baseUrl);
  return {
    baseUrl,
    async load(steps) {
      await fetch(`${baseUrl}/bench/script`, { method: 'POST', body: JSON.stringify(steps) });
    },
    async seen() {
      return (await (await fetch(`${baseUrl}/bench/seen`)).json()) as SeenRequest[];
    },
    stop() {
      child.stdin.end();
    },
  };
}

async function warmUp(baseUrl: string): Promise<void> {
  for (let round = 0; round < 50; round++)
    for (const path of ['/v1/messages', '/v1/responses'])
      await (await fetch(baseUrl + path, { method: 'POST', body: 'x'.repeat(10_000) })).text();
}
