/** Markdown imported as text: prompts and tool descriptions are inlined by the bundler. */
declare module '*.md' {
  const text: string;
  export default text;
}

/** Scripts that are run as they are. */
declare module '*.sh' {
  const text: string;
  export default text;
}
