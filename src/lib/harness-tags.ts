/**
 * Makes text that is not the harness's own unable to open or close a notification (NT3): every angle
 * bracket of a tag that only the harness may write is escaped, in whatever case or spacing.
 */
export function escapeHarnessTags(text: string): string {
  return text.replace(
    /<(\s*\/?\s*(?:task-notification|teammate-message|system-reminder|cadre-fork)\b)/gi,
    '&lt;$1',
  );
}

/** What the harness tells an agent in the conversation. Text that is not its own is escaped before. */
export function remind(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}
