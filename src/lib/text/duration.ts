const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** `6h`, `1h30m`, `20ms`, `59.3` (seconds), in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  if (!/^(\d{1,9}(\.\d+)?(ms|[dhms]))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)];
  return Math.ceil(parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0));
}

/** Short, and rounded for people. */
export function formatWait(ms: number): string {
  if (ms < 950) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** A time of the wall clock for people, in local time: `14:05`, or with its date if that is not today. */
export function formatTime(at: number, now: number): string {
  const [date, time] = splitLocal(at);
  return date === splitLocal(now)[0] ? time : `${date} ${time}`;
}

/** In ISO 8601, whatever the number: one that is no time becomes the nearest that is. */
export function formatInstant(at: number): string {
  return new Date(clampTime(at)).toISOString();
}

/** The last moment that a `Date` can hold; beyond it everything throws, or is called invalid. */
const maxTime = 8_640_000_000_000_000;

function clampTime(at: number): number {
  return Number.isNaN(at) ? 0 : Math.min(Math.max(at, -maxTime), maxTime);
}

function splitLocal(at: number): [date: string, time: string] {
  const local = new Date(clampTime(at));
  const pad = (part: number) => String(part).padStart(2, '0');
  const date = `${local.getFullYear()}-${pad(local.getMonth() + 1)}-${pad(local.getDate())}`;
  return [date, `${pad(local.getHours())}:${pad(local.getMinutes())}`];
}
