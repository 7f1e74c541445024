import { readdirSync, statSync } from 'node:fs';
import { roomIn, run } from './support.ts';

/** What is left in a workspace after commands that close it, and the mode it is left with. */
export async function closeWorkspace(path: string): Promise<{ names: string[]; mode: number }[]> {
  const seen = [];
  for (const [index, mode] of ['500', '000', '300'].entries()) {
    const at = roomIn(`${path}/${index}`);
    await run(at, `true > x; chmod ${mode} .`);
    const left = statSync(at.cwd).mode & 0o777;
    Bun.spawnSync(['chmod', '700', at.cwd]);
    seen.push({ names: readdirSync(at.cwd), mode: left });
    at.sandbox.close();
  }
  return seen;
}
