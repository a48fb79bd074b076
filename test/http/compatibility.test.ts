import { readFileSync } from 'node:fs';
import { OPERATIONS, type Operation, toOpenApi } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deprecationHeaders } from '../../packages/server/src/http/deprecation-headers.ts';

/** The shortest time between `Deprecation` and `Sunset`; docs/compatibility.md promises it. */
const NOTICE_MONTHS = 12;

const DEPRECATED = { since: '2027-03-01', sunset: '2028-03-01', instead: 'Use GET /new.' };

describe('a deprecated part of the API', () => {
  it('is marked in the OpenAPI document, with what to use instead', { tags: ['versioning.deprecation'] }, () => {
    const operation: Operation = {
      ...{ id: 'old.get', method: 'GET', path: '/old', access: { kind: 'public' }, reach: 'none', effect: 'read' },
      ...{ summary: 'Read', description: 'Reads.', status: 200, response: 'json', output: z.object({}), errors: [] },
      ...{ mcp: null, cli: null, deprecated: DEPRECATED },
    };
    const { paths } = toOpenApi([operation], { version: '1.0.0', serverUrl: 'http://api.test' });
    expect(paths).toMatchObject({ '/old': { get: { deprecated: true, 'x-deprecation': DEPRECATED } } });
  });

  it('is announced in every response by the headers of RFC 9745 and RFC 8594', {
    tags: ['versioning.deprecation'],
  }, () => {
    expect(deprecationHeaders(DEPRECATED, 'https://api.test')).toEqual({
      deprecation: '@1803859200',
      sunset: 'Wed, 01 Mar 2028 00:00:00 GMT',
      link: '<https://api.test/reference>; rel="deprecation"; type="text/html"',
    });
    expect(deprecationHeaders({ ...DEPRECATED, sunset: null }, 'https://api.test')).not.toHaveProperty('sunset');
  });

  it('continues to work for a year at least, and the documents say whether there is any', {
    tags: ['versioning.deprecation'],
  }, () => {
    const deprecated = (OPERATIONS as readonly Operation[]).flatMap((one) => one.deprecated ?? []);
    for (const { since, sunset } of deprecated.filter(({ sunset }) => sunset !== null)) {
      const earliest = new Date(`${since}T00:00:00Z`);
      earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS);
      expect(Date.parse(`${sunset}T00:00:00Z`)).toBeGreaterThanOrEqual(earliest.getTime());
    }
    const page = readFileSync('docs/compatibility.md', 'utf8');
    expect(page).toContain(`at least ${NOTICE_MONTHS} months`);
    expect(page.includes('Nothing is deprecated at present.')).toBe(deprecated.length === 0);
  });
});
