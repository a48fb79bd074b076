/**
 * A fix names an operation by its method and path in backticks: `POST /domains/:id/verify`. The API returns this form; other surfaces
 * replace it by the tool or command. This file imports nothing, so that the CLI can load it without the registry.
 */
const REFERENCE = /`(GET|POST|PATCH|DELETE) (\/[^\s`]*)`/g;

export interface ReferencedOperation {
  readonly method: string;
  /** With `:name` parameters. */
  readonly path: string;
}

/** The parameters of the path by name; null for those the reference leaves open. */
export type ReferenceParams = Readonly<Record<string, string | null>>;

/** Replaces every reference by the name that `nameOf` returns for the operation. Unknown references stay unchanged. */
export function renameOperations<T extends ReferencedOperation>(
  text: string,
  operations: readonly T[],
  nameOf: (operation: T, params: ReferenceParams) => string,
): string {
  return text.replace(REFERENCE, (reference, method: string, path: string) => {
    const found = operations.flatMap((operation) => {
      const params = operation.method === method ? matchPath(operation.path, path) : null;
      return params === null ? [] : [{ operation, params }];
    });
    // `/keys/self` also matches `/keys/:id`: the path with fewer parameters is the right one.
    const [best] = found.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
    return best === undefined ? reference : nameOf(best.operation, best.params);
  });
}

/** The path of a reference with the known parameters filled in. */
export function writeReference({ method, path }: ReferencedOperation, params: ReferenceParams = {}): string {
  return `\`${method} ${path.replace(/:(\w+)/g, (open, name: string) => params[name] ?? open)}\``;
}

/** The command that calls an operation, with the parameters of its path as positional arguments. */
export function writeCommand(command: string, path: string, params: ReferenceParams): string {
  const positional = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => params[name] ?? `<${name}>`);
  return ['postrider', command, ...positional].join(' ');
}

function matchPath(pattern: string, path: string): ReferenceParams | null {
  const parts = pattern.split('/');
  const given = path.split('/');
  if (parts.length !== given.length) return null;
  const params: Record<string, string | null> = {};
  for (const [index, part] of parts.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = value.startsWith(':') ? null : value;
    else if (part !== value) return null;
  }
  return params;
}

/** Maps of the caller: a `fix` in them is content. */
const OPAQUE_FIELDS: ReadonlySet<string> = new Set(['metadata', 'headers', 'variables', 'context', 'payload']);

/** Rewrites every `fix` in an API response: in problems, dry-run checks and checklists. */
export function rewriteFixes<T>(body: T, rewrite: (fix: string) => string): T {
  // The shape is unchanged: only strings are replaced, by strings.
  return rewriteIn(body, rewrite) as T;
}

function rewriteIn(value: unknown, rewrite: (fix: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteIn(item, rewrite));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'fix' && typeof inner === 'string') return [key, rewrite(inner)];
      return [key, OPAQUE_FIELDS.has(key) ? inner : rewriteIn(inner, rewrite)];
    }),
  );
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
