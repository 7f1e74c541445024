import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Seen } from './proof/machine/planted-driver.ts';
import { canHaveMachine, runInMachine } from './proof/machine/run.ts';
import { needsThat } from './support/index.ts';

const setting = '/proc/sys/kernel/printk_ratelimit_burst';

needsThat(canHaveMachine(), 'Linux and root')(
  'the watch over a machine sees every kind of change, and puts back a setting of the kernel',
  async () => {
    const before = readFileSync(setting, 'utf8');
    const { seen } = await runInMachine<{ seen: Seen }>('machine/planted-driver.ts', {
      ...{ as: 'root', full: false, seed: 1 },
    });
    expect(readFileSync(setting, 'utf8')).toBe(before);
    expect(seen['nothing at all']).toEqual([]);
    const blind = Object.entries(seen).filter(
      ([name, changes]) => name !== 'nothing at all' && changes.length === 0,
    );
    expect(blind).toEqual([]);
    expect(seen['a removed file']?.[0]).toContain('/etc/issue');
    expect(seen['a setting of the kernel']?.[0]).toContain(setting);
  },
  60_000,
);
