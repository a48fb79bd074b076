import { ERRORS, errorCodesOf, LIMITS, OPERATIONS, type Operation, SCOPES, toOpenApi } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { messageFilterFields } from '../../packages/core/src/schemas/message-filters.ts';

// A reader's view of the document: paths, methods and what is under them.
// biome-ignore lint/suspicious/noExplicitAny: the document is read as a stranger reads it, by path
const document: any = toOpenApi(OPERATIONS, { version: '1.2.3', serverUrl: 'http://api.test' });
const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([name]) => !name.startsWith('x-'))
    // biome-ignore lint/suspicious/noExplicitAny: as above
    .map(([method, described]) => ({ path, method, ...(described as any) })),
);

/** A response, or the one that many operations share. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function resolve(response: any): any {
  const name = response?.$ref?.replace('#/components/responses/', '');
  return name === undefined ? response : document.components.responses[name];
}

describe('the OpenAPI document', () => {
  it('is 3.1 and names the server and the version', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Postrider', version: '1.2.3' });
    expect(document.servers).toEqual([{ url: 'http://api.test' }]);
  });

  it('publishes every operation, once, without a prefix', { tags: ['contract-shape.openapi-unprefixed'] }, () => {
    const camel = (id: string) =>
      id.split('-').reduce((text, word) => text + word.charAt(0).toUpperCase() + word.slice(1));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      OPERATIONS.map(({ id }) => camel(id)).sort(),
    );
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/v1') || path.includes(':'))).toEqual([]);
    expect(document.paths['/emails/{id}'].get.operationId).toBe('emails.get');
    expect(document.paths['/emails/batch'].post.operationId).toBe('emails.sendBatch');
  });

  it('declares every code an operation can return, under its status', { tags: ['contract-errors.declared'] }, () => {
    for (const operation of OPERATIONS as readonly Operation[]) {
      const described = operations.find(
        ({ operationId }) => operationId.toLowerCase() === operation.id.replaceAll('-', ''),
      );
      for (const code of errorCodesOf(operation)) {
        const response = resolve(described?.responses[ERRORS[code].status]);
        expect(response?.description, `${operation.id} ${code}`).toContain(`\`${code}\``);
        const further = operation.further?.find(({ status }) => status === ERRORS[code].status)?.content ?? {};
        expect(Object.keys(response.content)).toEqual([...Object.keys(further), 'application/problem+json']);
      }
    }
  });

  it('requires the declared responses of a send', { tags: ['errors.status-codes'] }, () => {
    const send = document.paths['/emails'].post;
    expect(Object.keys(send.responses).sort()).toEqual(
      ['200', '202', '400', '401', '402', '403', '409', '413', '415', '422', '429', '500', '503'].sort(),
    );
  });

  it('refers only to components that exist', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      const [kind = '', name = ''] = reference.replace('#/components/', '').split('/');
      expect(document.components[kind]).toHaveProperty([name]);
    }
  });

  it('requires exactly the credentials that the router accepts, and names scope and roles', () => {
    const user = [{ session: [] }, { sessionToken: [] }];
    expect(document.paths['/emails'].post).toMatchObject({
      security: [{ key: [] }, ...user],
      'x-scope': 'emails:send',
      'x-roles': ['owner', 'admin', 'developer'],
    });
    expect(document.paths['/account'].delete['x-roles']).toEqual(['owner']);
    expect(document.paths['/keys/self'].get.security).toEqual([{ key: [] }]);
    expect(document.paths['/auth/accounts'].get.security).toEqual(user);
    expect(document.paths['/auth/session'].patch.security).toEqual(user);
    expect(document.paths['/auth/device/confirm'].post.security).toEqual(user);
    expect(document.paths['/auth/session'].get.security).toEqual([{}, ...user]);
    expect(document.paths['/auth/device'].get.security).toEqual([{}, { session: [] }]);
    expect(document.paths['/health'].get.security).toEqual([]);
    for (const { 'x-scope': scope } of operations) if (scope !== undefined) expect(SCOPES).toHaveProperty([scope]);
  });

  it('names the methods of every path, and describes every tag', () => {
    expect(document.paths['/emails']['x-allow']).toEqual(['POST', 'GET', 'HEAD']);
    expect(document.paths['/emails/batch']['x-allow']).toEqual(['POST']);
    for (const tag of document.tags) expect(tag.description, tag.name).toMatch(/\S/);
  });

  it('describes every parameter with its limits', () => {
    const list = document.paths['/emails'].get.parameters;
    const filters = Object.keys(messageFilterFields);
    expect(list.map((parameter: { name: string }) => parameter.name)).toEqual([...filters, 'limit', 'cursor']);
    expect(list[2]).toMatchObject({
      name: 'tag',
      required: false,
      schema: { type: 'array', items: { type: 'string' } },
    });
    expect(list.at(-2)).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: LIMITS.pageSizeMax, default: LIMITS.pageSizeDefault },
    });
    const [id, wait] = document.paths['/emails/{id}'].get.parameters;
    expect(id).toMatchObject({ name: 'id', in: 'path', required: true });
    expect(wait).toMatchObject({ name: 'wait', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 60 } });
  });

  it('writes request bodies, queries and export rows in snake_case and every other response in camelCase', {
    tags: ['contract-shape.casing', 'contract-shape.casing-export'],
  }, () => {
    // The edits of a held send bear the names of a send.
    const { SendRequest, Attachment, Utm, ExportRow, ApprovalEdits, ...responses } = document.components.schemas;
    expect(Object.keys(SendRequest.properties)).toEqual(expect.arrayContaining(['reply_to', 'agent_name']));
    for (const { properties } of [SendRequest, Attachment, Utm, ExportRow, ApprovalEdits]) {
      expect(Object.keys(properties).filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
    }
    const queries = operations.flatMap(({ parameters = [] }) => parameters).filter((given) => given.in === 'query');
    expect(queries.filter(({ name }) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
    const names = Object.values<{ properties?: object }>(responses).flatMap(({ properties = {} }) =>
      Object.keys(properties),
    );
    expect(names).toEqual(expect.arrayContaining(['agentName', 'createdAt', 'nextCursor', 'requestId']));
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)*\d*$/.test(name))).toEqual([]);
  });

  it('describes a file by its content types', () => {
    const { content, headers } = document.paths['/emails/export'].get.responses[200];
    expect(Object.keys(content)).toEqual([
      'text/csv; charset=utf-8',
      'application/json; charset=utf-8',
      'application/x-ndjson',
    ]);
    expect(content['application/json; charset=utf-8'].schema).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/ExportRow' },
    });
    expect(Object.keys(headers)).toEqual([
      'x-request-id',
      'x-content-type-options',
      'cache-control',
      'ratelimit-policy',
      'ratelimit',
      'content-disposition',
      'x-export-truncated',
    ]);
  });

  it('leaves responses open to new fields and keeps requests closed', () => {
    expect(document.components.schemas.SendRequest.additionalProperties).toBe(false);
    expect(document.components.schemas.Message).not.toHaveProperty('additionalProperties');
  });
});
