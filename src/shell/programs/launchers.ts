import { readLiteral, type SimpleCommand } from '../grammar/types.ts';

const launching: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  bun: /^x$/,
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

/** Whether a package manager is told to run a program that its words name. A word after an option may be its value. */
export function isLaunching(name: string, { words }: SimpleCommand): boolean {
  const pattern = Object.hasOwn(launching, name) ? launching[name] : undefined;
  if (!pattern) return false;
  const texts = words.slice(1).map((word) => readLiteral(word) ?? '');
  const at = texts.findIndex((text, index) => {
    const isValue = index > 0 && texts[index - 1]?.startsWith('-');
    return pattern.test(text) || !(text.startsWith('-') || isValue);
  });
  return pattern.test(texts[at] ?? '');
}
