/**
 * Flags of other products that this version does not have. They are refused by name: to accept a flag and then ignore it
 * would break a promise silently.
 */
export const laterFlags: readonly string[] = [
  '--betas',
  '--effort',
  '--debug-file',
  '--managed-settings',
  '--resume-session-at',
  '--session-mirror',
  '--task-budget',
  '--teammate-mode',
];

/** The later flag that commander did not know; undefined where it is another one. */
export function findLaterFlag(unknownOption: string): string | undefined {
  const name = unknownOption.split('=')[0] ?? unknownOption;
  return laterFlags.find((flag) => flag === name);
}
