import { expect, test } from 'bun:test';
import { needsThat } from '../support/index.ts';
import { cadre, newPlace } from './support.ts';

/** A user that no other test is: the limit counts all processes of a user. */
const alone = ['setpriv', '--reuid=65431', '--regid=65431', '--clear-groups', '--'];

needsThat(process.getuid?.() === 0, 'root')(
  'where a user may have hardly any processes, that is said instead of the report of a crash',
  async () => {
    const { code, err } = await cadre(['--version'], {
      place: newPlace(),
      under: ['prlimit', '--nproc=4', ...alone],
    });
    expect(err).toBe(
      'cadre: Only 4 processes are allowed here, and cadre needs at least 16.\nRaise the limit: ulimit -u\n',
    );
    expect(code).toBe(2);
  },
);

test('where hardly any files may be open, that is said too', async () => {
  for (const files of [12, 40]) {
    const ended = await cadre(['-p', 'hi'], { place: newPlace(), under: ['prlimit', `--nofile=${files}`] });
    expect(ended).toMatchObject({
      code: 2,
      err: `cadre: Only ${files} open files are allowed here, and cadre needs at least 64.\nRaise the limit: ulimit -n\n`,
    });
  }
});
