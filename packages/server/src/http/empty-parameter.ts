import { type AnyOperation, OPERATIONS } from '@postrider/core';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../problem.ts';

/**
 * Rejects a path with an empty parameter, which the router matches: `/emails/` would be handled as the message with the id "". A list
 * instead of the message would hide a missing id from its caller.
 */
export function refuseEmptyParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const pattern = route.url.slice(app.prefix.length);
    if (!pattern.includes('/:')) return;
    route.onRequest = [
      (request, _reply, done) => {
        const params = Object.entries(request.params as Readonly<Record<string, string>>); // Fastify parses them.
        const empty = params.find(([, value]) => value === '');
        done(empty === undefined ? undefined : emptyParameter(request.method, pattern, empty[0]));
      },
      ...[route.onRequest ?? []].flat(),
    ];
  });
}

function emptyParameter(method: string, pattern: string, name: string): ProblemError {
  const withoutSlash = pattern.endsWith(`/:${name}`) ? pattern.slice(0, -name.length - 2) : null;
  const advice = [
    ...(isServed(method, pattern) ? [`Add the ${name}: \`${method} ${pattern}\`.`] : []),
    ...(withoutSlash !== null && isServed(method, withoutSlash)
      ? [`To call \`${method} ${withoutSlash}\`, remove the slash at the end of the path.`]
      : []),
  ];
  return new ProblemError('not_found', {
    detail: `The path has an empty ${name}.`,
    ...(advice.length === 0 ? {} : { fix: advice.join(' ') }),
  });
}

function isServed(method: string, path: string): boolean {
  const operations: readonly AnyOperation[] = OPERATIONS;
  const asked = method === 'HEAD' ? 'GET' : method;
  return operations.some((operation) => operation.method === asked && operation.path === path);
}
