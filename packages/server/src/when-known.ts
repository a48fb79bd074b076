/**
 * Continues at once with a value that is known already, and otherwise when it is. For the path of every request, where the value is nearly
 * always known: a promise costs more than the step.
 */
export function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
