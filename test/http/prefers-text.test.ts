import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prefersText } from '../../packages/server/src/http/prefers-text.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('a response in two formats (RFC 9110, section 12.5.1)', () => {
  it.each([
    'text/plain',
    'text/*',
    'TEXT/*;q=0.5',
    'text/*, */*',
    'text/plain, */*;q=0.1',
    'text/plain, application/json;q=0.9',
    'text/plain, application/*;q=0.9',
    'text/*, application/json;q=0',
    '*/*, application/json;q=0',
  ])('is text for %j', (accept) => {
    expect(prefersText(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/*',
    'text/html',
    'text/html, */*',
    'text/plain;q=0',
    'text/plain;q=0, text/*',
    'text/*, application/*',
    'application/json, text/plain, */*',
    'text/plain;q=0.5, */*',
    'text/plain;q=half, application/json;q=0.1',
  ])('is JSON for %j', (accept) => {
    expect(prefersText(accept)).toBe(false);
  });

  describe('over HTTP', () => {
    let server: TestApp;
    beforeAll(async () => {
      server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    });
    afterAll(() => server.close());

    it('sends `vary` with either format, and none with a single format', async () => {
      const { body } = await server.call('POST', '/domains', { body: { name: 'forms.example' } });
      const records = async (accept: string) =>
        await server.call('GET', `/domains/${body.id}/records`, { headers: { accept } });
      const text = await records('text/*');
      expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(text.headers.get('vary')).toBe('Accept');
      const json = await records('application/json');
      expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(json.headers.get('vary')).toBe('Accept');
      expect((await server.call('GET', `/domains/${body.id}`)).headers.get('vary')).toBeNull();
    });
  });
});
