import { judgedLocale } from '../../lib/text/locales.ts';

/**
 * Variables that a command may be given without becoming another command than its words say, each with the values that can
 * only be data. Programs evaluate what they find in variables: make expands `$(…)`, a shell's arithmetic runs `a[$(…)]`,
 * assigns in `PATH=0` and follows the name of another variable, and names of locales and terminals are files that are loaded.
 * So a value is a number, one of a few words, or has a form in which nothing can be evaluated.
 */
export const plainSettings: Readonly<Record<string, RegExp>> = {
  ...withValues('NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI VERBOSE PYTHONUNBUFFERED', flag()),
  ...withValues('PYTHONDONTWRITEBYTECODE CGO_ENABLED RUST_BACKTRACE', flag()),
  ...withValues('COLUMNS LINES', /^\d{0,5}$/),
  // Also `DEBUG=app:*` of node's debug: a variable name alone would be followed.
  DEBUG: flag('[a-z][a-z0-9-]*(?::[a-z0-9-]+)*:(?:\\*|[a-z0-9-]+)(?:,[a-z][a-z0-9-]*:(?:\\*|[a-z0-9-]+))*'),
  NODE_ENV: /^(?:test|testing|production|development|staging|ci|local)?$/,
  ...withValues('GOOS GOARCH', /^[a-z0-9]{0,16}$/),
  RUST_LOG: /^(?:(?:[a-z][a-z0-9_]*(?:::[a-z0-9_]+)*=)?(?:trace|debug|info|warn|error|off)(?:,(?!$)|$))*$/,
  LS_COLORS: /^(?:(?:[a-z]{2}|\*\.[\w-]+)=[\d;]*(?::|$))*$/,
  GREP_COLORS: /^(?:[a-z]{2}=[\d;]*(?::|$))*$/,
  TERM: /^(?:[A-Za-z0-9][\w.+-]*)?$/,
  TZ: /^(?:[A-Za-z][\w+-]*(?:\/[\w+-]+)*)?$/,
  ...withValues('LANG LC', judgedLocale),
  // Git and others read these as no pager.
  ...withValues('PAGER GIT_PAGER', /^(?:cat)?$/),
  ...withValues('GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT', /^0$/),
  // Letters of options without a value: `o` would name a file that less writes.
  LESS: /^-?[EFIMNRSXeimnqs]*$/,
  LANGUAGE: /^(?:[A-Za-z]+(?:_[A-Za-z]+)?(?::|$))*$/,
};

/** On or off, in the words that programs accept for it, or a small number. */
function flag(more?: string): RegExp {
  const words = '\\d{0,4}|true|false|yes|no|on|off|always|never|auto|full';
  return new RegExp(`^(?:${words}${more === undefined ? '' : `|${more}`})$`, 'i');
}

function withValues(names: string, values: RegExp): Record<string, RegExp> {
  return Object.fromEntries(names.split(' ').map((name) => [name, values]));
}
