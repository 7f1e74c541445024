import { claimLease } from '../../../src/lib/leases/claim-lease.ts';
import { systemMachine } from '../../../src/lib/machine.ts';

const [directory = '', name = '', speed = '1'] = process.argv.slice(2);
/** Time runs faster, so that a lease ends soon. */
const machine = { ...systemMachine, uptime: () => systemMachine.uptime() * Number(speed) };
const claimed = claimLease({ directory, machine }, name);
if (!claimed.ok) throw new Error(claimed.problem.message);
const { value } = claimed;
console.log(value.state === 'won' ? `won ${value.lease.epoch}` : `held by ${value.by?.pid}`);
for await (const line of console) {
  if (value.state !== 'won') continue;
  if (line === 'release') value.lease.release();
  else console.log(value.lease.check() ? 'holds' : `lost to ${value.lease.successor?.pid}`);
}
