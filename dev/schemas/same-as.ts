import type { z } from 'zod';

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;

/** The parameter type for a schema whose values are not of type `T`; no argument fits it. */
interface NotTheSame<T> {
  readonly schemaIsNotOfType: T;
}

type Checked<T, S extends z.ZodType> =
  Mutable<T> extends z.output<S> ? (z.output<S> extends T ? S : NotTheSame<T>) : NotTheSame<T>;

/** Returns the schema. The compiler refuses a schema whose values are not exactly those of type `T`. */
export const sameAs =
  <T>() =>
  <S extends z.ZodType>(schema: S & Checked<T, S>): S =>
    schema;
