import { type Postrider, PostriderError } from '@postrider/sdk';

export async function trySending(postrider: Postrider, to: string): Promise<string> {
  try {
    const { id } = await postrider.emails.send({ from: 'ada@sandbox.test', to, subject: 'Hello', text: 'Hi' });
    return id;
  } catch (error) {
    if (!(error instanceof PostriderError)) throw error;
    switch (error.code) {
      case 'recipient_suppressed':
      case 'recipient_not_allowed':
        return error.recipients.map(({ email, code }) => `${email}: ${code}`).join(', ');
      default:
        return `${error.detail} ${error.fix} (request ${error.requestId})`;
    }
  }
}
