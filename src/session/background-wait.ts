type Environment = Readonly<Record<string, string | undefined>>;

const defaultWaitMs = 600_000;

/** How long a one-shot run waits for agents in the background, in milliseconds; 0 is without end. */
export function backgroundWaitMs(environment: Environment): number {
  const given = [environment.CADRE_PRINT_BG_WAIT_MS, environment.CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS].find(
    (value) => value !== undefined && /^\d{1,12}$/.test(value.trim()),
  );
  return given === undefined ? defaultWaitMs : Number(given);
}
