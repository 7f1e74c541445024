/**
 * The sample repository: a few lines of portable shell with one mistake, so that the demo needs nothing but
 * what every system has.
 */
export const sampleFiles: Record<string, string> = {
  'README.md':
    '# celsius\n\nTurns temperatures from Fahrenheit into Celsius. Run the tests with `sh test.sh`.\n',
  'AGENTS.md': 'Run `sh test.sh` after every change.\n',
  'lib/convert.sh': [
    '# Prints the Celsius value of a Fahrenheit temperature, rounded to whole degrees.',
    'to_celsius() {',
    '  awk -v f="$1" \'BEGIN { printf "%.0f", f - 32 * 5 / 9 }\'',
    '}',
    '',
  ].join('\n'),
  'test.sh': [
    '. ./lib/convert.sh',
    'failed=0',
    'check() {',
    '  actual=$(to_celsius "$1")',
    '  if [ "$actual" = "$2" ]; then echo "ok      $1 F is $2 C"',
    '  else echo "FAILED  $1 F should be $2 C, got $actual C"; failed=1; fi',
    '}',
    'check 32 0',
    'check 212 100',
    'check 98 37',
    'exit $failed',
    '',
  ].join('\n'),
};
