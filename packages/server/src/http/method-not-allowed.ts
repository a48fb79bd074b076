import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problem.ts';

/** A path with the methods that are served on it. */
interface ServedPath {
  readonly pattern: RegExp;
  /** A letter for each segment, literal ones before parameters: of two that match, the router takes the one that comes first. */
  readonly rank: string;
  readonly allow: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Those on which every other method is refused. */
    servedPaths: ServedPath[];
  }
}

/**
 * Methods by which other paths with a parameter in this place are served: without a route of their own here, `DELETE /emails/export` would be
 * taken for a message of the id `export`.
 */
const ROUTED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']);

/** Prepares an app for `refuseOtherMethods`. */
export function rememberServedPaths(app: FastifyInstance): void {
  app.decorate('servedPaths', []);
}

/**
 * Answers 405, with the methods that are served, to every other method on a path that exists. A path that serves GET serves HEAD. The methods
 * that nobody serves anywhere have no routes: there are thirty of them, and for each path they would be most of what a start does.
 */
export function refuseOtherMethods(app: FastifyInstance, url: string, served: readonly string[]): void {
  const allowed = served.includes('GET') ? [...served, 'HEAD'] : served;
  const allow = allowed.join(', ');
  for (const path of pathsOf(app.prefix, url)) app.servedPaths.push({ ...patternOf(path), allow });
  const method = [...ROUTED].filter((name) => !allowed.includes(name));
  app.route({
    method,
    url,
    onRequest: async () => {
      throw refusal(allow);
    },
    handler: () => undefined,
  });
}

/** The root under a prefix is served with and without its slash, as Fastify does: a base URL is written either way. */
function pathsOf(prefix: string, url: string): readonly string[] {
  return prefix !== '' && url === '/' ? [prefix, `${prefix}/`] : [`${prefix}${url}`];
}

/** Of a request that no route takes: the refusal of its method where its path is served by others; null where nothing is there. */
export function refusalOfMethod(
  { servedPaths }: FastifyInstance,
  { method, url }: FastifyRequest,
): ProblemError | null {
  if (ROUTED.has(method)) return null;
  const path = decodedPath(url);
  const [served] = servedPaths.filter(({ pattern }) => pattern.test(path)).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return served === undefined ? null : refusal(served.allow);
}

function refusal(allow: string): ProblemError {
  return new ProblemError('method_not_allowed', { detail: `This path answers ${allow}.`, headers: { allow } });
}

/** What is longer is no parameter to the router. */
export const MAX_PARAM_CHARACTERS = 500;

/** Parameters are one segment, as the router has them. */
function patternOf(url: string): Pick<ServedPath, 'pattern' | 'rank'> {
  const segments = url.split('/');
  const source = segments
    .map((segment) =>
      segment.startsWith(':') ? `[^/]{0,${MAX_PARAM_CHARACTERS}}` : segment.replace(/[^\w-]/g, '\\$&'),
    )
    .join('/');
  return {
    pattern: new RegExp(`^${source}$`),
    rank: segments.map((segment) => (segment.startsWith(':') ? 'b' : 'a')).join(''),
  };
}

function decodedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
