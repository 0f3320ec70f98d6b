import type { z } from 'zod';

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;

/** What a schema that is not of type `T` gets in place of its own type: an argument that cannot be given. */
interface NotTheSame<T> {
  readonly schemaIsNotOfType: T;
}

type Checked<T, S extends z.ZodType> =
  Mutable<T> extends z.output<S> ? (z.output<S> extends T ? S : NotTheSame<T>) : NotTheSame<T>;

/** The schema as it is, if its values are those of type `T`, both ways: the compiler refuses another one. */
export const sameAs =
  <T>() =>
  <S extends z.ZodType>(schema: S & Checked<T, S>): S =>
    schema;
