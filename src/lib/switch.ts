/** Whether an environment switch is on: `1`, `true`, `yes` and `on`, in any case. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.toLowerCase());
}
