import PostalMime, { type Email } from 'postal-mime';
import type { TestApp } from './test-app.ts';

export interface CapturedMail {
  /** The envelope's sender. */
  readonly from: string;
  /** The envelope's recipients. */
  readonly to: readonly string[];
  /** As it would be sent over SMTP. */
  readonly raw: string;
  readonly parsed: Email;
}

/** The messages in the development mailbox with this subject, oldest first, read over the API and by an independent parser. */
export async function readCaptured(server: TestApp, subject: string): Promise<readonly CapturedMail[]> {
  const { body } = await server.call('GET', '/dev/mailbox', { key: null });
  const found = body.messages.filter((message: { subject: string }) => message.subject === subject).reverse();
  return await Promise.all(
    found.map(async ({ id, from, to }: { id: string; from: string; to: string[] }) => {
      const { body: raw } = await server.call('GET', `/dev/mailbox/${id}.eml`, { key: null });
      return { from, to, raw, parsed: await PostalMime.parse(raw) };
    }),
  );
}
