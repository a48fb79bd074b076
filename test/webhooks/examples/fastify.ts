import { PostriderError, verifyWebhook } from '@postrider/sdk';
import { fastify } from 'fastify';

export const app = fastify();

app.register(async (webhooks) => {
  // In this plugin, a JSON body stays raw bytes. Everywhere else, it is parsed.
  webhooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  webhooks.post<{ Body: Buffer }>('/webhooks/postrider', async (request, reply) => {
    try {
      const event = verifyWebhook(request.body, request.headers, process.env['POSTRIDER_WEBHOOK_SECRET'] ?? '');
      if (event.type === 'email.bounced') console.log(`${event.data.recipient} bounced (${event.data.classification})`);
      return reply.code(204).send();
    } catch (error) {
      if (!(error instanceof PostriderError)) throw error;
      return reply.code(400).send(error.code);
    }
  });
});
