import { z } from 'zod';

/**
 * The field names that a schema accepts at a path, used to correct an unknown one. Lists are entered by their items, and unions by all
 * their branches. Values such as maps and strings have no fields.
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

/** Unwraps optional, nullable and converted schemas to those that check the value. */
function unwrap(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrap);
  return [schema];
}

/** Longer names are not typing mistakes. */
const LONGEST_NAME = 40;

/**
 * The known name that was probably meant; null if none is close. Spellings such as `replyTo` for `reply_to` match, and a quarter of the
 * letters may be wrong.
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

/** The edit distance: letters to insert, delete or replace, and neighbors to swap. */
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
