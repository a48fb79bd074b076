import { PostriderError, verifyWebhook } from '@postrider/sdk';

export async function POST(request: Request): Promise<Response> {
  try {
    const secret = process.env['POSTRIDER_WEBHOOK_SECRET'] ?? '';
    const event = verifyWebhook(await request.text(), request.headers, secret);
    if (event.type === 'email.bounced') console.log(`${event.data.recipient} bounced (${event.data.classification})`);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof PostriderError)) throw error;
    return new Response(error.code, { status: 400 });
  }
}
