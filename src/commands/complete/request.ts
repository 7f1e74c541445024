/** The first argument with which the program answers a shell's completion, instead of reading its command line. */
export const completeArgument = '--complete-words';

export const completedShells = ['bash', 'zsh', 'fish'] as const;

export type CompletedShell = (typeof completedShells)[number];
