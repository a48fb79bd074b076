import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { returnPathOf } from '../harness/report-client.ts';
import { type SinkMessage, type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type Surface, surfacesOf } from './surface.ts';

const SURFACES = ['REST', 'the SDK', 'MCP', 'the CLI'] as const;

describe('a message through an SMTP relay', () => {
  let sink: SmtpSink;
  let server: TestApp;
  let record: string;
  let surfaces: readonly Surface[];
  beforeAll(async () => {
    sink = await startSmtpSink();
    server = await startTestApp({ settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` } });
    surfaces = surfacesOf(server);
    record = (await server.call('GET', '/dev/sandbox', { key: null })).body.records[0].value;
  });
  afterAll(async () => {
    await server.close();
    await sink.close();
  });

  async function verdictsOn(message: SinkMessage): Promise<readonly string[]> {
    // A TXT string has at most 255 bytes, so a 2048-bit key is split.
    const resolver = async () => [record.match(/.{1,255}/g) ?? []];
    const { results } = await dkimVerify(message.raw, { resolver, strict: true });
    return results.map(({ status }: { status: { result: string } }) => status.result);
  }

  it.each(SURFACES)(
    'sent over %s arrives signed, with bcc recipients in the envelope alone, and reads as `sent` with its events',
    async (name) => {
      const surface = surfaces.find((candidate) => candidate.name === name);
      if (surface === undefined) throw new Error(`there is no surface ${name}`);
      const sent = await surface.send(server.key, {
        from: 'Ada Lovelace <ada@sandbox.test>',
        to: [`one-${name.replaceAll(' ', '-')}@example.com`],
        cc: ['two@example.org'],
        bcc: ['hidden@example.net'],
        subject: `Grüße over ${name}`,
        text: 'Hello.\n.a line that begins with a dot\n',
      });
      if (!sent.ok) throw new Error(JSON.stringify(sent.problem));
      const read = (await server.settled(String(sent.body['id']))).body;
      expect(read.status).toBe('sent');
      expect(read.events.map((event: { type: string }) => event.type)).toEqual(['queued', 'sent', 'sent', 'sent']);
      expect(read.recipients.map((recipient: { status: string }) => recipient.status)).toEqual([
        'sent',
        'sent',
        'sent',
      ]);

      const arrived = sink.messages.filter(({ recipients }) =>
        recipients.includes(`one-${name.replaceAll(' ', '-')}@example.com`),
      );
      expect(arrived).toHaveLength(1);
      const [message] = arrived;
      if (message === undefined) throw new Error('nothing arrived');
      expect(message.from).toBe(returnPathOf(server, String(sent.body['id']), [0, 1, 2]));
      expect([...message.recipients].sort()).toEqual(
        ['hidden@example.net', `one-${name.replaceAll(' ', '-')}@example.com`, 'two@example.org'].sort(),
      );
      expect(message.raw.toString('latin1')).not.toContain('hidden@example.net');
      expect(await verdictsOn(message)).toEqual(['pass']);
      const mail = await PostalMime.parse(message.raw);
      expect(mail.subject).toBe(`Grüße over ${name}`);
      expect(mail.text?.replaceAll('\r\n', '\n')).toBe('Hello.\n.a line that begins with a dot\n');
      expect(mail.messageId).toContain(String(sent.body['id']));
    },
  );
});
