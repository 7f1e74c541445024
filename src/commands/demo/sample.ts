/**
 * The sample repository: a few lines of portable shell with one bug and one missing feature, so the demo needs
 * only git and the tools of every system.
 */
export const sampleFiles: Record<string, string> = {
  'README.md': [
    '# degrees',
    '',
    'Converts Fahrenheit temperatures to other units: `sh degrees.sh celsius 212`.',
    'Run the tests with `sh test.sh`, or `sh test.sh celsius` for one of them.',
    '',
  ].join('\n'),
  'AGENTS.md': 'Run `sh test.sh` after every change.\n',
  'lib/convert.sh': [
    '# Conversions of Fahrenheit temperatures, rounded to whole degrees.',
    'to_celsius() {',
    '  awk -v f="$1" \'BEGIN { printf "%.0f", f - 32 * 5 / 9 }\'',
    '}',
    '',
  ].join('\n'),
  'degrees.sh': [
    '. ./lib/convert.sh',
    'case "$1" in',
    '  celsius) to_celsius "$2" ;;',
    '  *) echo "usage: sh degrees.sh UNIT VALUE"; exit 2 ;;',
    'esac',
    '',
  ].join('\n'),
  'test.sh': [
    'wanted=$1',
    '[ "$wanted" ] || wanted=all',
    'failed=0',
    'check() {',
    '  case "$wanted" in all|"$1") ;; *) return ;; esac',
    '  actual=$(sh degrees.sh "$1" "$2")',
    '  if [ "$actual" = "$3" ]; then echo "ok      $2 F is $3"',
    '  else echo "FAILED  $2 F should be $3, got $actual"; failed=1; fi',
    '}',
    'check celsius 32 "0 C"',
    'check celsius 212 "100 C"',
    'check kelvin 32 "273 K"',
    'check kelvin 212 "373 K"',
    'exit $failed',
    '',
  ].join('\n'),
};
