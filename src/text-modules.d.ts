/** Markdown imported as text: prompts and tool descriptions are inlined by the bundler. */
declare module '*.md' {
  const text: string;
  export default text;
}
