import { join } from 'node:path';
import type { ProjectFiles } from '../project-files.ts';
import { parseXml } from './xml.ts';

/** Where runners write them, from the directory of the check. */
const places = [
  'coverage/lcov.info',
  'lcov.info',
  'coverage/cobertura-coverage.xml',
  'coverage.xml',
  'cobertura.xml',
  'target/site/cobertura/coverage.xml',
];

/** Percent of lines, from a report that was written since. */
export function readCoverage(directory: string, since: number, listing: ProjectFiles): number | undefined {
  for (const place of places) {
    const text = listing.readSince(join(directory, place), since) ?? '';
    const found = place.endsWith('.info') ? readLcov(text) : readCobertura(text);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function readLcov(text: string): number | undefined {
  const sum = (key: string) =>
    [...text.matchAll(new RegExp(`^${key}:(\\d+)$`, 'gm'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  const lines = sum('LF');
  return lines === 0 ? undefined : round((100 * sum('LH')) / lines);
}

export function readCobertura(text: string): number | undefined {
  const doctype = /<!DOCTYPE[^>[]*>/;
  // The reference to Cobertura's own definition is not a definition: nothing in it is read.
  const parsed = parseXml(text.replace(doctype, ''));
  if (!parsed.ok || parsed.value.name !== 'coverage') return undefined;
  const { attributes } = parsed.value;
  const valid = Number(attributes['lines-valid']);
  if (valid > 0) return round((100 * Number(attributes['lines-covered'])) / valid);
  const rate = Number(attributes['line-rate']);
  return attributes['line-rate'] === undefined || Number.isNaN(rate) ? undefined : round(100 * rate);
}

function round(percent: number): number {
  return Math.round(Math.min(100, Math.max(0, percent)) * 10) / 10;
}
