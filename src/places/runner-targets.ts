import { basename, join } from '../lib/files/exact-paths.ts';

/**
 * What in a directory takes the place of a program or module that a command does not name as a file: `npx NAME` runs
 * `node_modules/.bin/NAME` where that exists, `python3 -m NAME` a `NAME.py` beside it. Whether they exist or not.
 */
export function findRunnerTargets(command: string, top: string): string[] {
  const words = command.split(/[\s"'`;|&()<>]+/).filter((word) => word !== '');
  const found = words.flatMap((word, at) => {
    const rest = words.slice(at + 1);
    const program = basename(word).replace(/(?:\.exe|\.cmd)$/, '');
    if (/^python[\d.]*$/.test(program)) return listModules(rest);
    if (/^uvx?$/.test(program)) return ['uv.toml'];
    if (/^(?:npx|pnpx|bunx)$/.test(program)) return listPackages(rest);
    const [action = '', ...more] = rest.filter((one, index) => index > 0 || !one.startsWith('-'));
    return (packageActions[program] ?? []).includes(action) ? listPackages(more) : [];
  });
  return [...new Set(found)].map((name) => join(top, name));
}

const packageActions: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx'],
  bun: ['x'],
};

/** The first word that is no option may be the value of one: so is the next taken for a package as well. */
function listPackages(words: readonly string[]): string[] {
  const specs = words
    .slice(0, maxWords)
    .map((word) => word.replace(/^--?[\w-]+=/, ''))
    .filter((word) => packageName.test(word));
  return specs.slice(0, maxSpecs).flatMap((spec) => {
    const name = packageName.exec(spec)?.[0] ?? spec;
    return [name, spec, basename(name)]
      .map((bin) => `node_modules/.bin/${bin}`)
      .concat(`node_modules/${name}`);
  });
}

const maxWords = 8;
const maxSpecs = 3;
const packageName = /^(?:@[\w.-]+\/)?[A-Za-z_][\w.-]*/;

function listModules(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /^-[A-Za-z]*m$/.test(word));
  // Behind the name of a script `-m` is its own.
  if (at < 0 || words.slice(0, at).some((word) => !word.startsWith('-'))) return [];
  const name = /^[A-Za-z_]\w*/.exec(words[at + 1] ?? '')?.[0];
  return name === undefined ? [] : [`${name}.py`, name];
}
