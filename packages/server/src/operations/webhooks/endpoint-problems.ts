import { LIMITS } from '@postrider/core';
import { ProblemError } from '../../problem.ts';
import type { EndpointRefusal } from '../../webhooks/manage-endpoints.ts';

/** The problem to return if a change of an endpoint is refused. */
export function toEndpointProblem(refusal: EndpointRefusal, id = ''): ProblemError {
  switch (refusal.kind) {
    case 'missing':
      return unknownEndpoint(id);
    case 'url':
      return urlProblem('invalid_url', `cannot receive events: the URL ${refusal.reason}`);
    case 'too-many':
      return urlProblem(
        'too_many',
        `would be one endpoint too many: an account has at most ${LIMITS.webhooksPerAccount}`,
      );
  }
}

export function unknownEndpoint(id: string): ProblemError {
  return new ProblemError('not_found', { detail: `There is no webhook endpoint ${id} in this account.` });
}

export function unknownDelivery(id: string): ProblemError {
  return new ProblemError('not_found', { detail: `The endpoint has no delivery ${id}.` });
}

function urlProblem(code: string, message: string): ProblemError {
  return new ProblemError('validation_failed', {
    detail: `url: ${message}.`,
    errors: [{ path: 'url', code, message }],
  });
}
