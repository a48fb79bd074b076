import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/run-in-process.ts';
import { readCaptured } from '../harness/captured-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

type Files = { filename: string; content: string; content_type?: string; content_id?: string }[];

const FILES: Files = [
  { filename: 'Rechnung für Ada.pdf', content: Buffer.from('%PDF-1.7').toString('base64') },
  { filename: 'logo.png', content: Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64'), content_id: 'logo' },
];

describe('a send with files', () => {
  let server: TestApp;
  let ways: Readonly<Record<string, (subject: string, attachments: Files) => Promise<Record<string, unknown>>>>;

  beforeAll(async () => {
    server = await startTestApp();
    const basics = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', html: '<img src="cid:logo">' };
    const { baseUrl, key } = server;
    ways = {
      REST: async (subject, attachments) =>
        (await server.call('POST', '/emails', { body: { ...basics, subject, attachments } })).body,
      'the SDK': async (subject, attachments) => {
        const sent = new Postrider({ apiKey: key, baseUrl }).emails.send({ ...basics, subject, attachments });
        return {
          ...(await sent.catch((error: unknown) => (error instanceof PostriderError ? (error.body as object) : {}))),
        }; // A problem is an object.
      },
      MCP: async (subject, attachments) => {
        const client = new Client({ name: 'test', version: '0.0.0' });
        const requestInit = { headers: { authorization: `Bearer ${key}` } };
        await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
        const sending = { ...basics, to: [basics.to], subject, attachments };
        const { structuredContent, isError } = await client.callTool({ name: 'send_email', arguments: sending });
        await client.close();
        const { error, ...body } = structuredContent as Record<string, unknown>; // The tool declares an object.
        return isError === true ? (error as Record<string, unknown>) : body; // A problem, as above.
      },
      'the CLI': async (subject, attachments) => {
        const argv = [
          'send',
          '--json',
          '--from',
          basics.from,
          '--to',
          basics.to,
          '--subject',
          subject,
          '--html',
          basics.html,
        ];
        const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: baseUrl };
        const { code, stdout, stderr } = await runInProcess([...argv, '--attachments', JSON.stringify(attachments)], {
          env,
        });
        return JSON.parse(code === 0 ? stdout : stderr);
      },
    };
  });
  afterAll(() => server.close());

  it.each(['REST', 'the SDK', 'MCP', 'the CLI'])('over %s arrives with them, and reads the same', async (way) => {
    const sent = await ways[way]?.(`Files over ${way}`, FILES);
    expect(sent).toMatchObject({ status: 'queued' });
    const { body } = await server.settled(String(sent?.['id']));
    expect(body.attachments).toEqual([
      { filename: 'Rechnung für Ada.pdf', contentType: 'application/pdf', size: 8 },
      { filename: 'logo.png', contentType: 'image/png', size: 4 },
    ]);
    const [mail] = await readCaptured(server, `Files over ${way}`);
    expect(mail?.parsed.attachments.map(({ filename, related }) => [filename, related === true]).sort()).toEqual([
      ['Rechnung für Ada.pdf', false],
      ['logo.png', true],
    ]);
  });

  it.each(['REST', 'the SDK', 'MCP', 'the CLI'])('over %s is rejected the same way', async (way) => {
    const refused = await ways[way]?.('Refused', [{ filename: 'a.exe', content: 'QQ==' }]);
    expect(refused).toMatchObject({
      status: 422,
      code: 'attachment_type_refused',
      retryable: false,
      errors: [{ path: 'attachments.0.filename', code: 'attachment_type_refused' }],
    });
  });
});
