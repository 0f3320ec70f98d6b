import { z } from 'zod';
import { isJsonObject, scalarText } from '../../http/json';

/**
 * Readers of fields that inform people and decide nothing: absent, null, blank and of a wrong type are all "no value",
 * so that one odd field costs no other.
 */

/** A string, or a number by its digits. */
export const lenientText = z
  .unknown()
  .optional()
  .transform((value) => {
    const text = scalarText(value)?.trim() ?? '';
    return text === '' ? null : text;
  });

export const lenientInteger = lenientText.transform((text) =>
  text !== null && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : null,
);

export const lenientBoolean = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'boolean' ? value : null));

/** The day of a date or a date-time, as written; other text as it came. */
export const lenientDay = lenientText.transform((text) =>
  text !== null && /^\d{4}-\d{2}-\d{2}[T ]/.test(text) ? text.slice(0, 10) : text,
);

export function lenientObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.object(shape);
  return z
    .unknown()
    .optional()
    .transform((value) => (isJsonObject(value) ? schema.parse(value) : null));
}

/** One object in place of a list is a list of one; what is no object is left out. */
export function lenientList<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.object(shape);
  return z
    .unknown()
    .optional()
    .transform((value) =>
      (Array.isArray(value) ? value : [value]).filter(isJsonObject).map((item) => schema.parse(item)),
    );
}
