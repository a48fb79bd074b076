import type { Operation } from './operation.ts';

/** The methods of the operations on a path, and of those on a path with a parameter that can spell it. */
export function servedMethods(operations: readonly Operation[], path: string): readonly Operation['method'][] {
  const here = operations.filter((operation) => operation.path === path);
  const shared = here.map(({ sharesPathWith }) => sharesPathWith);
  const others = operations.filter((operation) => shared.includes(operation.path));
  return [...new Set([...here, ...others].map(({ method }) => method))];
}
