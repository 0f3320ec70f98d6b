import { z } from 'zod';
import { isDay } from '../../../domain/calendar';
import { isJsonObject, scalarText } from '../../http/json';

/**
 * Readers of fields that inform people and decide nothing: absent, null, blank or of a wrong type all mean "no
 * value", so one odd field does not affect the others.
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

/** A list of objects. A single object counts as a list of one; anything else is left out. */
export function lenientList<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.object(shape);
  return z
    .unknown()
    .optional()
    .transform((value) =>
      (Array.isArray(value) ? value : [value]).filter(isJsonObject).map((item) => schema.parse(item)),
    );
}

/** Argentina keeps UTC−3 all year round (no daylight saving since March 2009). */
const BUENOS_AIRES = '-03:00';

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** The years that the journal reads, 0001 to 9999. The conversion to UTC can move a time out of them. */
const FOUR_DIGIT_YEAR = /^(?!0000)\d{4}-/;

/**
 * Parses a time as the bank writes it, to ISO UTC with milliseconds; further digits are cut. Null: not a time of the
 * years 0001 to 9999. A time without a zone is Buenos Aires time, in a process of any time zone; a date alone is its
 * midnight.
 */
export function parseBankTime(text: string): string | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = ''] = match;
  if (!isDay(`${year}-${month}-${day}`)) return null;
  const clock = `${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  const zone = (match[8] ?? BUENOS_AIRES).toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const time = new Date(`${year}-${month}-${day}T${clock}${zone}`);
  if (Number.isNaN(time.getTime())) return null;
  const iso = time.toISOString();
  return FOUR_DIGIT_YEAR.test(iso) ? iso : null;
}
