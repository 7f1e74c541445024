import type { BuiltInProgram } from '../../workflows/program.ts';
import type { RunPort } from '../../workflows/run-port.ts';
import type { HostFunctions } from '../../workflows/run-script.ts';
import type { Kernel } from '../kernel.ts';

interface NamedProgram {
  /** For lists; one without it is not for people to name. */
  about?: string;
  open(kernel: Kernel): Promise<BuiltInProgram>;
}

/** Programs that `cadre run NAME` knows besides scripts, by name. Each is loaded when it is wanted. */
export const builtInPrograms: Readonly<Record<string, NamedProgram>> = {
  chain: {
    about: 'research, write, validate; failed checks go back to the writer',
    open: (kernel) => openPatternProgram('chain', kernel),
  },
  parallel: {
    about: 'type check, linter, tests and security check at the same time',
    open: (kernel) => openPatternProgram('parallel', kernel),
  },
  branch: {
    about: 'simple: a quick writer. complex: research, design, write',
    open: (kernel) => openPatternProgram('branch', kernel),
  },
  // A file of data, which its arguments hold: a resumed run does not need the file.
  pattern: { open: (kernel) => openPatternProgram('pattern', kernel) },
};

type MakeFunction = (run: RunPort, kernel: Kernel) => HostFunctions[string];

/** Further global functions of scripts: each is made for one run. `agent` and `ask` are always there. */
export const scriptFunctions: Readonly<Record<string, MakeFunction>> = {
  handoff: (run, kernel) => {
    const opened = lazily(async () => {
      const [{ openHandoffSetup }, { noteChecksAtFirst }, { handOffForScript }] = await Promise.all([
        import('../handoff-setup.ts'),
        import('../../handoffs/checks-at-first.ts'),
        import('../../handoffs/script-handoff.ts'),
      ]);
      return { setup: await noteChecksAtFirst(run, await openHandoffSetup(kernel)), handOffForScript };
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
