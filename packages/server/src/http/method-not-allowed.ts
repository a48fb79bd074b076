import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problem.ts';

/** A path with its supported methods. */
interface ServedPath {
  readonly pattern: RegExp;
  /** One letter per segment, so that literal segments sort before parameters: the router uses the first of two matches. */
  readonly rank: string;
  readonly allow: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Paths on which every other method is rejected. */
    servedPaths: ServedPath[];
  }
}

/**
 * Methods of other paths with a parameter in this place: without its own route here, `DELETE /emails/export` would be
 * handled as a message with the id `export`.
 */
const ROUTED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']);

/** Prepares an app for `refuseOtherMethods`. */
export function rememberServedPaths(app: FastifyInstance): void {
  app.decorate('servedPaths', []);
}

/**
 * Responds with 405 and the supported methods to every other method on an existing path. A path that supports GET
 * supports HEAD. The methods that no path supports have no routes: there are thirty of them, and registering them for
 * each path would take most of the start time.
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

/** The root under a prefix is served with and without its slash, as in Fastify: base URLs are written both ways. */
function pathsOf(prefix: string, url: string): readonly string[] {
  return prefix !== '' && url === '/' ? [prefix, `${prefix}/`] : [`${prefix}${url}`];
}

/** For a request without a route: the 405 response if other methods exist on its path; null if there is none. */
export function refusalOfMethod(
  { servedPaths }: FastifyInstance,
  { method, url }: FastifyRequest,
): ProblemError | null {
  if (ROUTED.has(method)) return null;
  const path = decodedPath(url);
  const [served] = servedPaths.filter(({ pattern }) => pattern.test(path)).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return served === undefined ? null : refusal(served.allow);
}

/** The path of a request without the slashes at its end, if it is served under that; null otherwise. */
export function pathWithoutSlash({ servedPaths }: FastifyInstance, url: string): string | null {
  const path = decodedPath(url);
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  const bare = path.slice(0, end);
  return end < path.length && servedPaths.some(({ pattern }) => pattern.test(bare)) ? bare : null;
}

function refusal(allow: string): ProblemError {
  return new ProblemError('method_not_allowed', { detail: `This path supports ${allow}.`, headers: { allow } });
}

/** The router does not match longer parameters. */
export const MAX_PARAM_CHARACTERS = 500;

/** Parameters are one segment, as in the router. */
function patternOf(url: string): Pick<ServedPath, 'pattern' | 'rank'> {
  const segments = url.split('/');
  const source = segments
    .map((segment) =>
      segment.startsWith(':') ? `[^/]{1,${MAX_PARAM_CHARACTERS}}` : segment.replace(/[^\w-]/g, '\\$&'),
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
