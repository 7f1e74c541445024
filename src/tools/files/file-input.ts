import { form } from '../../lib/form/form.ts';

/** A path as a model gives it. `~` is refused rather than taken for a directory of that name. */
export const filePath = form
  .string()
  .min(1)
  .refine((path) => !path.includes('\0'), 'A path cannot contain a NUL character.')
  .refine((path) => !/^~(\/|$)/.test(path), 'Give an absolute path: ~ is not expanded here.');
