import { literalOf, type SimpleCommand } from './types.ts';

const launching: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  bun: /^x$/,
  deno: /^task$/,
  uv: /^run$/,
  poetry: /^run$/,
  pipenv: /^run$/,
  pdm: /^run$/,
  hatch: /^run$/,
  rye: /^run$/,
  pipx: /^run$/,
  bundle: /^exec$/,
  mise: /^(?:exec|x)$/,
  asdf: /^exec$/,
  direnv: /^exec$/,
  nix: /^(?:run|shell|develop)$/,
  conda: /^run$/,
  kubectl: /^exec$/,
  opam: /^exec$/,
  stack: /^exec$/,
  rustup: /^run$/,
};

/** Whether a package manager is told to run a program that its words name, wherever its options stand. */
export function isLaunching(name: string, { words }: SimpleCommand): boolean {
  const pattern = Object.hasOwn(launching, name) ? launching[name] : undefined;
  return pattern !== undefined && words.slice(1, 6).some((word) => pattern.test(literalOf(word) ?? ''));
}
