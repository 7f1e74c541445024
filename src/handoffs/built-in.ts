import fullAccess from './built-in/profiles/full-access.md' with { type: 'text' };
import readOnly from './built-in/profiles/read-only.md' with { type: 'text' };
import research from './built-in/profiles/research.md' with { type: 'text' };
import writerProfile from './built-in/profiles/writer.md' with { type: 'text' };
import handoff from './built-in/protocols/handoff.md' with { type: 'text' };
import orchestration from './built-in/protocols/orchestration.md' with { type: 'text' };
import readme from './built-in/README.md' with { type: 'text' };
import analyzer from './built-in/templates/analyzer.md' with { type: 'text' };
import architect from './built-in/templates/architect.md' with { type: 'text' };
import parallelExecutor from './built-in/templates/parallel-executor.md' with { type: 'text' };
import quickWriter from './built-in/templates/quick-writer.md' with { type: 'text' };
import researcher from './built-in/templates/researcher.md' with { type: 'text' };
import validator from './built-in/templates/validator.md' with { type: 'text' };
import writer from './built-in/templates/writer.md' with { type: 'text' };

export const fileKinds = ['profiles', 'templates', 'protocols'] as const;
export type HandoffFileKind = (typeof fileKinds)[number];

/** Our own files, as `cadre handoff init` writes them. They go through the same reader as a user's. */
export const builtInFiles: Readonly<Record<HandoffFileKind, Readonly<Record<string, string>>>> = {
  profiles: {
    'read-only': readOnly,
    research,
    writer: writerProfile,
    'full-access': fullAccess,
  },
  templates: {
    researcher,
    writer,
    validator,
    'parallel-executor': parallelExecutor,
    analyzer,
    'quick-writer': quickWriter,
    architect,
  },
  protocols: { handoff, orchestration },
};

export { readme };
