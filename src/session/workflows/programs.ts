import type { BuiltInProgram } from '../../workflows/program.ts';
import type { RunPort } from '../../workflows/run-port.ts';
import type { HostFunctions } from '../../workflows/run-script.ts';
import type { Kernel } from '../kernel.ts';

type OpenProgram = (kernel: Kernel) => Promise<BuiltInProgram>;

/** Programs that `cadre run NAME` knows besides scripts, by name. Each is loaded when it is wanted. */
export const builtInPrograms: Readonly<Record<string, OpenProgram>> = {
  chain: (kernel) => openPatternProgram('chain', kernel),
  parallel: (kernel) => openPatternProgram('parallel', kernel),
  branch: (kernel) => openPatternProgram('branch', kernel),
  // A file of data, which its arguments hold: it continues without the file.
  pattern: (kernel) => openPatternProgram('pattern', kernel),
};

type MakeFunction = (run: RunPort, kernel: Kernel) => HostFunctions[string];

/** Further global functions of scripts: each is made for one run. `agent` and `ask` are always there. */
export const scriptFunctions: Readonly<Record<string, MakeFunction>> = {
  handoff: (run, kernel) => {
    const opened = lazily(async () => {
      const [{ openHandoffSetup }, { handOffForScript }] = await Promise.all([
        import('../handoff-setup.ts'),
        import('../../handoffs/script-handoff.ts'),
      ]);
      return { setup: await openHandoffSetup(kernel), handOffForScript };
    });
    return async (request, options) => {
      const { setup, handOffForScript } = await opened();
      return handOffForScript(run, setup, request, options);
    };
  },
};

const openPatternProgram = async (name: string, kernel: Kernel): Promise<BuiltInProgram> =>
  (await import('./pattern-program.ts')).definePatternProgram(name, kernel);

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
