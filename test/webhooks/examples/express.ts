import { PostriderError, verifyWebhook } from '@postrider/sdk';
import express, { type Express } from 'express';

export const app: Express = express();

// The raw body: the result of express.json() is not what was signed.
app.post('/webhooks/postrider', express.raw({ type: 'application/json', limit: '1mb' }), (request, response) => {
  try {
    const event = verifyWebhook(request.body, request.headers, process.env['POSTRIDER_WEBHOOK_SECRET'] ?? '');
    if (event.type === 'email.bounced') console.log(`${event.data.recipient} bounced (${event.data.classification})`);
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof PostriderError)) throw error;
    response.status(400).send(error.code);
  }
});
