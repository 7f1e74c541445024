/** `2026-03-01 17:25`, in local time. */
export function localMinute(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The nearer, the shorter: `17:25`, `yesterday 17:25`, `1 Mar 17:25`, `2025-03-01`. */
export function formatDay(at: number, now: number): string {
  const [date, time = ''] = localMinute(at).split(' ');
  const today = new Date(now);
  const before = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (date === localMinute(now).slice(0, 10)) return time;
  if (date === localMinute(before.getTime()).slice(0, 10)) return `yesterday ${time}`;
  const then = new Date(at);
  if (then.getFullYear() !== today.getFullYear()) return date ?? '';
  return `${then.getDate()} ${months[then.getMonth()]} ${time}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
