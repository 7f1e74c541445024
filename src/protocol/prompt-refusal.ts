/** Why a prompt is in no conversation: a hook blocked it, or a slash command that had to do something failed. */
export interface PromptRefusal {
  /** The slash command's name. Absent if a hook blocked the prompt. */
  command?: string | undefined;
  reason: string;
}

export function describePromptRefusal({ command, reason }: PromptRefusal): string {
  return command === undefined
    ? `A hook blocked the prompt: ${reason}`
    : `/${command}: ${reason} Nothing was sent to the model.`;
}
