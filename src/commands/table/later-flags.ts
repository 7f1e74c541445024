/**
 * Flags of other products that this version does not have. They are refused by name: accepting a flag and ignoring it
 * would break a promise silently.
 */
export const laterFlags: readonly string[] = [
  '--await-claim',
  '--betas',
  '--effort',
  '--debug-file',
  '--managed-settings',
  '--plugin-dir-no-mcp',
  '--project-config-root',
  '--resume-drops-turn',
  '--resume-session-at',
  '--session-mirror',
  '--task-budget',
  '--thinking-display',
];

/** The later flag that commander did not know; undefined if it is another one. */
export function findLaterFlag(unknownOption: string): string | undefined {
  const name = unknownOption.split('=')[0] ?? unknownOption;
  return laterFlags.find((flag) => flag === name);
}
