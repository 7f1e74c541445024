import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { begin, roomIn, run } from './support.ts';

/**
 * A background command that looks for pipes as fast as it can, in every place where one could be, and opens what it finds
 * for reading and writing; beside it other commands run, each with a pipe that is made for it.
 */
export async function catchPipes(directory: string): Promise<{ outputs: string[]; caught: boolean }> {
  const at = roomIn(directory);
  const places = [
    '$ENV{HOME}/.cadre/pipes',
    '$ENV{HOME}/.cadre/session/tool-results',
    '$ENV{HOME}/.cadre',
    '/tmp',
    '/run',
  ];
  const hunter = [
    `my @places = (${places.map((place) => `"${place}"`).join(', ')}, glob("/proc/[0-9]*/fd"));`,
    'while (1) { for my $place (@places) { opendir(my $d, $place) or next; for my $name (readdir $d) {',
    'my $path = "$place/$name"; next unless -p $path; next if $place =~ m{^/proc};',
    'open(my $pipe, "+<", $path) or next; syswrite($pipe, "forged\\n"); open(my $mark, ">", "caught"); } } }',
  ].join(' ');
  const command = await begin(at, `exec /usr/bin/perl -e '${hunter}'`);
  const outputs = new Set<string>();
  for (let round = 0; round < 25; round++) outputs.add((await run(at, 'echo said')).text);
  await command.end();
  at.sandbox.close();
  return { outputs: [...outputs], caught: existsSync(join(at.cwd, 'caught')) };
}
