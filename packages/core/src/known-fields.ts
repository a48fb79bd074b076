import { z } from 'zod';

/**
 * The names of the fields that a schema accepts at a path, so that an unknown one can be corrected. Steps through lists by their items and
 * looks into every branch of a union; what a schema only describes as a value (a map, a text) has no fields.
 */
export function knownFields(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const [step, ...rest] = path;
  return unwrap(schema).flatMap((part): readonly string[] => {
    if (part instanceof z.ZodObject) {
      const shape: Readonly<Record<string, z.core.$ZodType>> = part.shape;
      if (step === undefined) return Object.keys(shape);
      const field = Object.hasOwn(shape, step) ? shape[String(step)] : undefined;
      return field === undefined ? [] : knownFields(field, rest);
    }
    return part instanceof z.ZodArray && step !== undefined ? knownFields(part.element, rest) : [];
  });
}

/** The schemas that a value is judged by in the end, without what is optional, nullable or converted around them. */
function unwrap(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrap);
  return [schema];
}

/** Longer names were not mistyped. */
const LONGEST_NAME = 40;

/**
 * The known name that another one was most likely meant to be; null where none is near. `replyTo` is `reply_to` spelled in another way, and
 * one letter in four may be wrong.
 */
export function nearestName(given: string, known: readonly string[]): string | null {
  if (given.length > LONGEST_NAME) return null;
  const typed = fold(given);
  const most = Math.floor(typed.length / 4);
  const near = known
    .map((name) => ({ name, faults: countFaults(typed, fold(name)) }))
    .filter(({ faults }) => faults <= most)
    .sort((a, b) => a.faults - b.faults);
  return near[0]?.name ?? null;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** Letters to insert, delete or replace, and neighbors to swap. */
function countFaults(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, row) => [row]);
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let column = 1; column <= b.length; column += 1) rows[0]?.push(column);
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      rows[row]?.push(Math.min(replaced, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
