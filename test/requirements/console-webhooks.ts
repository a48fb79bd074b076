import { requirement } from './requirement.ts';

/** The pages of webhooks. */
export const webhookPages = [
  requirement('console.webhooks.secret', 'A signing secret is shown once, in the response that makes it.'),
  requirement('console.webhooks.changes', 'Endpoints are added, changed, disabled, enabled and deleted.'),
  requirement('console.webhooks.deliveries', 'Each attempt is shown with its request and response, as text.'),
  requirement('console.webhooks.replay', 'A replay first says how many events it would deliver.'),
  requirement('console.webhooks.retry', 'One delivery can be repeated.'),
  requirement('console.webhooks.live', 'New deliveries appear without reloading.'),
  requirement('console.webhooks.roles', 'Webhook pages show exactly what the user’s role may see and do.'),
];
