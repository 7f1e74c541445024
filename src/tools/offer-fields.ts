import { z } from 'zod';

/**
 * The schema of a tool that takes more than a model is shown: the fields that it needs most. The description names the others. Schemas
 * are sent with every request, and few calls need all fields.
 */
export function offerFields<Shown extends z.ZodRawShape, More extends z.ZodRawShape>(
  shown: Shown,
  more: More,
) {
  const whole = z.strictObject({ ...shown, ...more });
  return z.looseObject(shown).meta({ additionalProperties: undefined }).pipe(z.any().pipe(whole));
}
