/** `950`, `12.3k`, `50.8M`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  const [scaled, unit] = count < 999_950 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M'];
  return `${scaled < 100 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)}${unit}`;
}

/** `1 token`, `12.3k tokens`. */
export function formatTokens(tokens: number): string {
  return `${formatCount(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`;
}

/** `0.4s`, `12s`, `1m 04s`, `2h 05m`, `3d 04h`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 0.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)}m ${padded(whole % 60)}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)}h ${padded(minutes % 60)}m`;
  return `${Math.floor(minutes / 1_440)}d ${padded(Math.floor(minutes / 60) % 24)}h`;
}

/** In millionths of a dollar; null if a price is unknown. `$0.12`, `$0.0042`, `<$0.0001`, `$?`. */
export function formatCost(microUsd: number | null): string {
  if (microUsd === null) return '$?';
  const usd = microUsd / 1_000_000;
  if (usd === 0 || usd >= 0.0995) return `$${usd.toFixed(2)}`;
  return usd < 0.00005 ? '<$0.0001' : `$${usd.toFixed(4)}`;
}

/** The same beside what is held for requests that broke off: `$0.12 + $0.53 held`. */
export function formatSpent({
  microUsd,
  heldMicroUsd = 0,
}: {
  readonly microUsd: number | null;
  readonly heldMicroUsd?: number;
}): string {
  const held = heldMicroUsd > 0 ? ` + ${formatCost(heldMicroUsd)} held` : '';
  return `${formatCost(microUsd)}${held}`;
}

/** `1 tool`, `12 tools`. */
export function formatTools(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'tool' : 'tools'}`;
}

function padded(count: number): string {
  return String(count).padStart(2, '0');
}
