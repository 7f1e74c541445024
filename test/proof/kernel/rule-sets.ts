/** Rules that refuse files, with what they mean in our layouts: said by hand, and not by the judge. */
export interface RuleSet {
  readonly name: string;
  readonly denied: readonly string[];
  /** Files below the workspace that may not be read. */
  readonly reads?: RegExp;
  /** Files below the workspace that may not be written. */
  readonly writes?: RegExp;
  /** Text in those files. */
  readonly prints: readonly string[];
}

/** One at a time: a rule that is heeded would hide that another is not. */
export const ruleSets: readonly RuleSet[] = [
  {
    name: 'files',
    denied: ['Read(.env)', 'Read(secret/**)', 'Edit(kept/inner/**)'],
    reads: /^\/(?:(?:src\/|private\/|sub\/)?\.env|secret\/.*|id_rsa)$/,
    writes: /^\/kept\/inner(?:\/|$)/,
    prints: ['canary-env', 'canary-secret'],
  },
  { name: 'none', denied: [], prints: [] },
  {
    name: 'one-file',
    denied: ['Read(.env)'],
    reads: /^\/(?:src\/|private\/|sub\/|docs\/)?\.env$/,
    prints: ['canary-env'],
  },
  {
    name: 'directory',
    denied: ['Read(hidden)', 'Edit(kept)'],
    reads: /^\/hidden\/.*[^/]$/,
    writes: /^\/kept(?:\/|$)/,
    prints: ['canary-hidden'],
  },
  {
    name: 'directory-slash',
    denied: ['Read(./hidden/)', 'Edit(./kept/inner/)'],
    reads: /^\/hidden\/.*[^/]$/,
    writes: /^\/kept\/inner(?:\/|$)/,
    prints: ['canary-hidden'],
  },
];
