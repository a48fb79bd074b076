import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type FileContent, Postrider } from '../../packages/sdk/src/index.ts';
import { startScriptedServer } from './scripted-server.ts';

const BYTES = randomBytes(100_000);
const MESSAGE = { from: 'a@example.com', to: 'b@example.org', subject: 'Files', text: 'See below.' };
const ACCEPTED = { status: 202, body: { id: 'x', status: 'queued' } };

async function* inChunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < BYTES.length; at += 7_000) yield BYTES.subarray(at, at + 7_000);
}

describe('the content of an attachment', () => {
  it.each<[string, FileContent]>([
    ['base64', BYTES.toString('base64')],
    ['a Buffer', BYTES],
    ['a Uint8Array', new Uint8Array(BYTES)],
    ['an ArrayBuffer', new Uint8Array(BYTES).buffer],
    ['a Blob', new Blob([new Uint8Array(BYTES)])],
    ['a stream of Node', Readable.from(inChunks())],
    ['a web stream', Readable.toWeb(Readable.from(inChunks()))],
    ['a generator', inChunks()],
  ])('can be %s', async (_what, content) => {
    await using server = await startScriptedServer([ACCEPTED]);
    const postrider = new Postrider({ apiKey: 'k', baseUrl: server.baseUrl });
    await postrider.emails.send({ ...MESSAGE, attachments: [{ filename: 'a.bin', content }] });
    const [file] = JSON.parse(server.received[0]?.body ?? '').attachments;
    expect(file).toEqual({ filename: 'a.bin', content: BYTES.toString('base64') });
  });

  it('is encoded in every item of a batch, and every attempt sends the same bytes', async () => {
    await using server = await startScriptedServer([{ status: 503 }, { status: 207, body: { results: [] } }]);
    const postrider = new Postrider({ apiKey: 'k', baseUrl: server.baseUrl });
    const files = [Readable.from(['Hello, ', 'Ada']), new Uint8Array()].map((content) => ({
      filename: 'a.txt',
      content,
    }));
    await postrider.emails.sendBatch({ emails: files.map((file) => ({ ...MESSAGE, attachments: [file] })) });
    const sent = server.received.map(({ body }) => JSON.parse(body).emails);
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[0].flatMap(({ attachments }: { attachments: unknown }) => attachments)).toEqual([
      { filename: 'a.txt', content: Buffer.from('Hello, Ada').toString('base64') },
      { filename: 'a.txt', content: '' },
    ]);
  });

  it('rejects the send when its stream fails, before anything is sent', async () => {
    await using server = await startScriptedServer([]);
    const postrider = new Postrider({ apiKey: 'k', baseUrl: server.baseUrl });
    const content = new Readable({ read: () => void content.destroy(new Error('the disk is gone')) });
    const sending = postrider.emails.send({ ...MESSAGE, attachments: [{ filename: 'a', content }] });
    await expect(sending).rejects.toThrow('the disk is gone');
    expect(server.received).toEqual([]);
  });
});
