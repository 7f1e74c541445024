/**
 * Whether `$'…'` is the same text in every bash and every locale. `\x{2e}` and `\cx` are read in different ways, and `\u`
 * beyond ASCII depends on the locale.
 */
export function isPlainAnsi({ text, value }: { readonly text: string; readonly value: string }): boolean {
  const rest = text.slice(2, -1).replace(/\\(?:[abeEfnrtv\\'"?]|x[0-9a-fA-F]{1,2}|[0-7]{1,3})/g, '');
  if (!rest.includes('\\')) return true;
  const isUnicode = !rest.replace(/\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}/g, '').includes('\\');
  return isUnicode && /^[ -~]*$/.test(value);
}
