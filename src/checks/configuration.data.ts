import type { ProjectCheckName } from './types.ts';

/** Files beside a project's manifest that say what its checks look at: names, in which `*` is anything. */
export const configurationFiles: Readonly<Record<ProjectCheckName, readonly string[]>> = {
  types: ['tsconfig.json', 'tsconfig.*.json', 'mypy.ini', '.mypy.ini', 'pyrightconfig.json', '.npmrc'],
  lint: [
    ...['eslint.config.*', '.eslintrc', '.eslintrc.*', '.eslintignore', 'biome.json', 'biome.jsonc'],
    ...['ruff.toml', '.ruff.toml', '.flake8', '.golangci.*', 'clippy.toml', '.clippy.toml', '.npmrc'],
  ],
  tests: [
    ...[
      'jest.config.*',
      'vitest.config.*',
      'vitest.workspace.*',
      '.mocharc.*',
      'ava.config.*',
      'karma.conf.*',
    ],
    ...['.taprc', 'bunfig.toml', 'pytest.ini', 'tox.ini', '.npmrc'],
  ],
  security: ['deny.toml', 'audit.toml', '.npmrc'],
};

/** Fields of package.json that configure a runner. */
export const manifestFields: Readonly<Record<ProjectCheckName, readonly string[]>> = {
  types: [],
  lint: ['eslintConfig', 'eslintIgnore', 'biome'],
  tests: ['jest', 'vitest', 'mocha', 'ava', 'tap'],
  security: [],
};
