const onOrOff = '(?:true|false|yes|no|on|off|1|0)';
const colours = '(?:never|always|auto|true|false)';

/**
 * Settings, with their values, that `git -c` may give a read-only command: how it prints, and what keeps it from running
 * programs. On the command line they override those that switch off a repository's own settings, so no other setting and no
 * other value is in the list.
 */
const plainSettings: readonly RegExp[] = [
  `color\\.[a-z]+=${colours}`,
  'core\\.pager=(?:cat)?',
  'pager\\.[a-z-]+=(?:false|no|off|0|cat)',
  `core\\.quotepath=${onOrOff}`,
  'core\\.abbrev=(?:\\d{1,2}|auto|no)',
  'core\\.(?:fsmonitor|untrackedcache)=false',
  'core\\.hookspath=/dev/null',
  'gc\\.auto=0',
  'advice\\.[a-z]+=false',
  'log\\.showsignature=false',
  `log\\.(?:abbrevcommit|mailmap)=${onOrOff}`,
  'log\\.decorate=(?:short|full|auto|no|true|false)',
  'log\\.date=(?:relative|local|default|iso|iso-strict|rfc|short|raw|human|unix)',
  `diff\\.(?:noprefix|mnemonicprefix|indentheuristic)=${onOrOff}`,
  'diff\\.renames=(?:true|false|copy|copies)',
  'diff\\.(?:context|interhunkcontext|renamelimit)=\\d{1,6}',
  'diff\\.algorithm=(?:default|myers|minimal|patience|histogram)',
  'diff\\.colormoved=(?:no|default|plain|blocks|zebra|dimmed-zebra)',
  `status\\.(?:short|branch|relativepaths)=${onOrOff}`,
  'status\\.showuntrackedfiles=(?:no|normal|all)',
  'column\\.ui=(?:never|always|auto)',
].map((form) => new RegExp(`^${form}$`, 'i'));

/** Whether `key=value` is such a setting. Without a value git reads it as true. */
export function isPlainSetting(text: string | undefined): boolean {
  return text !== undefined && plainSettings.some((form) => form.test(text));
}
