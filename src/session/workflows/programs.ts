import type { BuiltInProgram } from '../../workflows/program.ts';
import type { RunPort } from '../../workflows/run-port.ts';
import type { HostFunctions } from '../../workflows/run-script.ts';

/** Programs that `cadre run NAME` knows besides scripts, by name. Each is loaded when it is wanted. */
export const builtInPrograms: Readonly<Record<string, () => Promise<BuiltInProgram>>> = {};

/** Further global functions of scripts: each is made for one run. `agent` and `ask` are always there. */
export const scriptFunctions: Readonly<Record<string, (run: RunPort) => HostFunctions[string]>> = {};
