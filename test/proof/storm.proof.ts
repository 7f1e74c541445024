import type { Proof } from '../../scripts/proofs.ts';
import { type Damage, weather } from './storm-weather.ts';

const proof: Proof = {
  name: 'storm',
  promise:
    'G6: agents against a provider with a token bucket and outages a fifth of the time, demand at twice its limit: none fails, none sends before its retry-after, requests at most 1.3 times those needed, nobody waits beyond 3 times the median',
  async run(full, seed) {
    const size = full ? { agents: 100, durationMs: 600_000 } : { agents: 60, durationMs: 240_000 };
    const alone = await weather({ ...size, processes: 1, seed });
    const shared = await weather({ ...size, processes: 4, seed });
    const faults = [...faultsOf('one process', alone), ...faultsOf('four processes', shared)];
    return {
      passed: faults.length === 0,
      figures: {
        agents: size.agents,
        seconds: size.durationMs / 1_000,
        answered: alone.answered + shared.answered,
        failed: alone.failed + shared.failed,
        early: alone.early + shared.early,
        'requests ÷ needed': rounded(Math.max(alone.requestRatio, shared.requestRatio)),
        'longest ÷ median wait': rounded(Math.max(alone.waitRatio, shared.waitRatio)),
        'part of the limit used': rounded(Math.min(alone.used, shared.used)),
      },
      detail: faults.join('\n'),
    };
  },
};

export default proof;

function faultsOf(name: string, damage: Damage): string[] {
  return [
    ...(damage.failed > 0 ? [`${name}: ${damage.failed} requests failed`] : []),
    ...(damage.early > 0 ? [`${name}: ${damage.early} requests before their retry-after`] : []),
    ...(damage.requestRatio > 1.3 ? [`${name}: ${damage.requestRatio} requests for each one needed`] : []),
    ...(damage.waitRatio > 3 ? [`${name}: somebody waited ${damage.waitRatio} times the median`] : []),
  ];
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
