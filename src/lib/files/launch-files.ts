import { closeSync, openSync } from 'node:fs';
import { failure, formatError, ok, type Result } from '../result.ts';
import { holdPlace } from './hold-directory.ts';

/** Opens what a confined program needs as its descriptors 3, 4, …: all or none. The caller closes them. */
export function openLaunchFiles(
  files: readonly { readonly path: string; readonly place?: true }[],
): Result<number[]> {
  const descriptors: number[] = [];
  try {
    for (const file of files) {
      const opened = file.place ? holdPlace(file.path) : ok(openSync(file.path, 'r'));
      if (!opened.ok) {
        for (const descriptor of descriptors) closeSync(descriptor);
        return opened;
      }
      descriptors.push(opened.value);
    }
    return ok(descriptors);
  } catch (error) {
    for (const descriptor of descriptors) closeSync(descriptor);
    return failure(`The sandbox's own files are missing: ${formatError(error)}`);
  }
}
