import { Postrider } from '@postrider/sdk';

export async function welcome(apiKey: string, baseUrl: string): Promise<string> {
  const postrider = new Postrider({ apiKey, baseUrl });
  // A lost connection is tried again, and nothing is sent twice: every send carries an idempotency key.
  const { id } = await postrider.emails.send({
    from: 'Ada <ada@sandbox.test>',
    to: 'delivered@sandbox.test',
    subject: 'Welcome',
    html: '<p>Good to have you.</p>',
  });
  const email = await postrider.emails.get(id, { wait: 10 });
  return email.status;
}
