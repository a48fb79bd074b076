import type { JsonSchema, Problem } from '@postrider/core';
import { localProblem } from './local-problem.ts';
import { BODY_CHARACTERS_MAX } from './result-size.ts';

/** The argument that pages through bodies longer than one result. */
export const BODY_OFFSET: JsonSchema = {
  type: 'integer',
  minimum: 0,
  default: 0,
  description: `Where to start in html and text, in characters; a result shows ${BODY_CHARACTERS_MAX} of each.`,
};

export function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function offsetProblem(): Problem {
  const message = 'must be a whole number from 0';
  return localProblem('validation_failed', {
    detail: `\`body_offset\` ${message}.`,
    errors: [{ path: 'body_offset', code: 'invalid_value', message }],
  });
}
