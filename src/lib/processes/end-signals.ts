/**
 * Signals that ask a program to end and leave it time to clean up, with the exit code of each. Without a listener every one
 * of them ends the process at once. SIGKILL has none, and faults of the program itself (SIGSEGV and others) are left to the
 * system.
 */
export const endSignals = {
  SIGTERM: 143,
  SIGHUP: 129,
  SIGQUIT: 131,
  SIGABRT: 134,
  SIGUSR1: 138,
  SIGUSR2: 140,
  SIGALRM: 142,
  SIGXCPU: 152,
} as const;
