import { argumentSchema, argumentsOf, findOperation, placeArguments } from '@postrider/core';
import { describe, expect, it } from 'vitest';

const send = findOperation('emails.send');
const get = findOperation('emails.get');

describe('the arguments of an operation', () => {
  it('have the names of the send request, and headers theirs in snake_case', {
    tags: ['contract-surfaces.mcp-arguments'],
  }, () => {
    expect(argumentsOf(send).map(({ name }) => name)).toEqual([
      ...['from', 'to', 'cc', 'bcc', 'reply_to', 'subject', 'html', 'text', 'template', 'variables', 'tags'],
      ...['utm', 'attachments', 'scheduled_at', 'dry_run', 'unsubscribe', 'headers', 'metadata'],
      ...['channel', 'source', 'agent_name', 'idempotency_key'],
    ]);
    expect(argumentsOf(get).map(({ name, place, required }) => [name, place, required])).toEqual([
      ['id', 'params', true],
      ['wait', 'query', false],
    ]);
  });

  it('leave out headers that only repeat a field of the body', () => {
    expect(argumentsOf(send).some(({ key }) => key.startsWith('x-'))).toBe(false);
  });

  it('are one object schema that accepts nothing else', () => {
    expect(argumentSchema(send)).toMatchObject({
      type: 'object',
      required: ['from', 'to'],
      additionalProperties: false,
    });
    expect(argumentSchema(findOperation('emails.list'))).not.toHaveProperty('required');
  });
});

describe('placing arguments', () => {
  it('puts each one in its place in the request', () => {
    expect(placeArguments(send, { from: 'a@b.co', idempotency_key: 'k' })).toEqual({
      params: {},
      query: {},
      headers: { 'idempotency-key': 'k' },
      body: { from: 'a@b.co' },
    });
    expect(placeArguments(get, { id: 'x', wait: 3 })).toEqual({
      params: { id: 'x' },
      query: { wait: 3 },
      headers: {},
      body: undefined,
    });
  });

  it('puts an unknown name where it will be rejected, and omits what is undefined', () => {
    expect(placeArguments(send, { subjekt: 1, cc: undefined }).body).toEqual({ subjekt: 1 });
    expect(placeArguments(get, { id: 'x', foo: 1 }).query).toEqual({ foo: 1 });
  });

  it('treats `__proto__` like any other name', () => {
    const given = JSON.parse('{"__proto__":{"polluted":true},"from":"a@b.co"}') as Record<string, unknown>;
    const { body } = placeArguments(send, given);
    expect(Object.keys(body as object)).toEqual(['__proto__', 'from']);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });
});
