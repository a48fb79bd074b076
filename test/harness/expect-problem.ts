import { expect } from 'vitest';
import type { Answer } from './test-app.ts';

const MEMBERS = [
  'type',
  'title',
  'status',
  'detail',
  'code',
  'fix',
  'retryable',
  'requestId',
  'errors',
  'recipients',
  'currentStatus',
];

/** Asserts that an answer is the one body of every refusal, in each particular that the contract names, with this status and code. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  const words = expect.stringMatching(/\S/);
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: expect.objectContaining({
      type: expect.stringMatching(new RegExp(`^https?://[^/]+/reference#error-${code}$`)),
      ...{ title: words, status, detail: words, code, fix: words, retryable: expect.any(Boolean) },
      requestId: answer.headers.get('x-request-id'),
    }),
  });
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(Object.keys(answer.body).filter((name) => !MEMBERS.includes(name))).toEqual([]);
}

/** The same for a request that breaks a rule of shape, with the fields that must be named: paths, or paths with their codes. */
export function expectInvalid(
  answer: Answer,
  ...fields: readonly (string | readonly [path: string, code: string])[]
): void {
  expectProblem(answer, 422, 'validation_failed');
  for (const field of fields) {
    const [path, code] = typeof field === 'string' ? [field, expect.stringMatching(/^[a-z_]+$/)] : field;
    expect(answer.body.errors).toContainEqual({ path, code, message: expect.stringMatching(/\S/) });
  }
}
