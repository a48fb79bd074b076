import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../problem.ts';

/** Answers 405, with the methods that are served, to every other method on a path that exists. A path that serves GET serves HEAD. */
export function refuseOtherMethods(app: FastifyInstance, url: string, served: readonly string[]): void {
  const allowed = served.includes('GET') ? [...served, 'HEAD'] : served;
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    onRequest: () => {
      throw new ProblemError('method_not_allowed', {
        detail: `This path answers ${allowed.join(', ')}.`,
        headers: { allow: allowed.join(', ') },
      });
    },
    handler: () => undefined,
  });
}
