/** Whether an environment switch is on: `1`, `true`, `yes` and `on` are, whatever their case. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.toLowerCase());
}
