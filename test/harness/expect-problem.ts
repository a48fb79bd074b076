import { expect } from 'vitest';
import type { TestResponse } from './test-app.ts';

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

/** Asserts that a response is a problem with this status and code, in every detail that the contract requires. */
export function expectProblem(response: TestResponse, status: number, code: string): void {
  const words = expect.stringMatching(/\S/);
  expect({ status: response.status, body: response.body }).toEqual({
    status,
    body: expect.objectContaining({
      type: expect.stringMatching(new RegExp(`^https?://[^/]+/reference#error-${code}$`)),
      ...{ title: words, status, detail: words, code, fix: words, retryable: expect.any(Boolean) },
      requestId: response.headers.get('x-request-id'),
    }),
  });
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(Object.keys(response.body).filter((name) => !MEMBERS.includes(name))).toEqual([]);
}

/** The same for an invalid request, with the fields it must name: paths, or paths with their codes. */
export function expectInvalid(
  response: TestResponse,
  ...fields: readonly (string | readonly [path: string, code: string])[]
): void {
  expectProblem(response, 422, 'validation_failed');
  for (const field of fields) {
    const [path, code] = typeof field === 'string' ? [field, expect.stringMatching(/^[a-z_]+$/)] : field;
    expect(response.body.errors).toContainEqual({ path, code, message: expect.stringMatching(/\S/) });
  }
}
