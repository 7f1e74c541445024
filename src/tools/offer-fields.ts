import { form, type Shape } from '../lib/form/form.ts';

/**
 * The schema of a tool that takes more than a model is shown: the fields that it needs most. The description names the others. Schemas
 * are sent with every request, and few calls need all fields.
 */
export function offerFields<Shown extends Shape, More extends Shape>(shown: Shown, more: More) {
  return form.strictObject({ ...shown, ...more }).shownAs(form.object(shown).toJSONSchema({ brief: true }));
}
