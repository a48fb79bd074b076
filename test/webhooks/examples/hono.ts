import { PostriderError, verifyWebhook } from '@postrider/sdk';
import { Hono } from 'hono';

export const app = new Hono();

app.post('/webhooks/postrider', async (context) => {
  try {
    const secret = process.env['POSTRIDER_WEBHOOK_SECRET'] ?? '';
    const event = verifyWebhook(await context.req.text(), context.req.raw.headers, secret);
    if (event.type === 'email.bounced') console.log(`${event.data.recipient} bounced (${event.data.classification})`);
    return context.body(null, 204);
  } catch (error) {
    if (!(error instanceof PostriderError)) throw error;
    return context.text(error.code, 400);
  }
});
