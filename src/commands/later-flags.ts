/**
 * Flags that the ecosystem knows and this version does not. They are refused by name: a flag that is
 * taken and then ignored is a promise broken in silence.
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

/** The first such flag among the arguments, as it would be parsed: not after `--`, not as another flag's value. */
export function findLaterFlag(unknownOption: string): string | undefined {
  const name = unknownOption.split('=')[0] ?? unknownOption;
  return laterFlags.find((flag) => flag === name);
}
