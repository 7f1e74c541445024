/**
 * Endings of the names that ripgrep's types of everyday files match, in every version from 13 on. Types with names that do not
 * end so, or of which versions differ in more, are not here: they may match anything.
 */
export const ripgrepTypes: Readonly<Record<string, string>> = {
  ...named('c', 'c C h H c.in C.in h.in H.in cats'),
  ...named(
    'cpp',
    'c C h H cpp hpp cxx hxx cc hh inl c.in C.in h.in H.in cpp.in hpp.in cxx.in hxx.in cc.in hh.in',
  ),
  ...named('h', 'h H hh hpp hxx'),
  ...named('cs csharp', 'cs'),
  ...named('css', 'css scss'),
  ...named('csv', 'csv'),
  ...named('dart', 'dart'),
  ...named('elixir', 'ex exs eex heex leex livemd'),
  ...named('go', 'go'),
  ...named('html', 'htm html ejs'),
  ...named('java', 'java jsp jspx properties'),
  ...named('js', 'js jsx cjs mjs vue'),
  ...named('json', 'json sarif'),
  ...named('jsonl', 'jsonl'),
  ...named('kotlin', 'kt kts'),
  ...named('less', 'less'),
  ...named('lua', 'lua'),
  ...named('md markdown', 'md markdown mdown mdwn mdx mkd mkdn'),
  ...named('php', 'php php3 php4 php5 php7 php8 pht phtml'),
  ...named('py python', 'py pyi'),
  ...named('rust', 'rs'),
  ...named('sass', 'sass scss'),
  ...named('sql', 'sql psql'),
  ...named('svelte', 'svelte svelte.ts'),
  ...named('swift', 'swift'),
  ...named('toml', 'toml'),
  ...named('ts typescript', 'ts tsx cts mts'),
  ...named('txt', 'txt'),
  ...named('vue', 'vue'),
  ...named('yaml', 'yaml yml'),
  ...named('zig', 'zig'),
};

function named(types: string, endings: string): Record<string, string> {
  return Object.fromEntries(types.split(' ').map((type) => [type, endings]));
}
