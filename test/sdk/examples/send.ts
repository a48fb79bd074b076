import { Postrider } from '@postrider/sdk';

export async function welcome(apiKey: string, baseUrl: string): Promise<string> {
  const postrider = new Postrider({ apiKey, baseUrl });
  // The client retries after a lost connection. Every send has an idempotency key, so nothing is sent twice.
  const { id } = await postrider.emails.send({
    from: 'Ada <ada@sandbox.test>',
    to: 'delivered@sandbox.test',
    subject: 'Welcome',
    html: '<p>Good to have you.</p>',
  });
  const email = await postrider.emails.get(id, { wait: 10 });
  return email.status;
}
