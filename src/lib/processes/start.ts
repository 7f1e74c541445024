import { statSync } from 'node:fs';
import { formatError, getErrorCode } from '../result.ts';

/** Why a program could not be started. A missing directory is reported by the system as a missing program. */
export function explainStart(error: unknown, options: { file: string; cwd: string }): string {
  const directory = directoryProblem(options.cwd);
  if (directory) return directory;
  switch (getErrorCode(error)) {
    case 'ENOENT':
      return `Program not found: ${options.file}.`;
    case 'EACCES':
      return `${options.file} cannot be run: check its permissions and that its file system allows programs.`;
    case 'E2BIG':
      return `The arguments and environment for ${options.file} are longer than the system allows.`;
    case 'EAGAIN':
    case 'ENOMEM':
      return `The system cannot start another process (${getErrorCode(error)}).`;
    default:
      return `${options.file} could not be started: ${formatError(error)}`;
  }
}

function directoryProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : `${path} is not a directory.`;
  } catch (error) {
    return `The directory ${path} cannot be entered (${getErrorCode(error) ?? formatError(error)}).`;
  }
}
