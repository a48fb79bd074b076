import { z } from 'zod';

/** Records the problems that a step of a schema finds. */
export interface StepContext {
  addIssue(issue: StepIssue): void;
}

interface StepIssue {
  readonly message: string;
  readonly path?: PropertyKey[];
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Like `schema.transform(step)`, for schemas of requests that arrive thousands of times a second. Zod assigns a new function to each
 * parsed value. V8 creates such functions in the old generation, so each keeps its request in memory until the next major collection.
 */
export function transformed<Schema extends z.ZodType, Output>(
  schema: Schema,
  step: (given: z.output<Schema>, context: StepContext) => Output,
): z.ZodPipe<Schema, z.core.$ZodTransform<Output, z.output<Schema>>> {
  const transform = (given: unknown, payload: z.core.ParsePayload) =>
    step(given as z.output<Schema>, new PayloadContext(payload, true));
  // The constructor's type does not carry the types of the step.
  const last = new z.core.$ZodTransform({ type: 'transform', transform });
  return z.pipe(schema, last as z.core.$ZodTransform<Output, z.output<Schema>>);
}

/** Like `superRefine`, for the same reason: `schema.check(checked(step))`. */
export function checked<Value>(step: (value: Value, context: StepContext) => void): z.core.CheckFn<Value> {
  return (payload) => step(payload.value, new PayloadContext(payload, false));
}

class PayloadContext implements StepContext {
  readonly #payload: z.core.ParsePayload;
  readonly #isLast: boolean;

  /** @param isLast whether nothing can use the value after a problem: a transformation has none to return then */
  constructor(payload: z.core.ParsePayload, isLast: boolean) {
    this.#payload = payload;
    this.#isLast = isLast;
  }

  addIssue(issue: StepIssue): void {
    const continues = this.#isLast ? {} : { continue: true };
    this.#payload.issues.push({ code: 'custom', input: this.#payload.value, ...continues, ...issue });
  }
}
