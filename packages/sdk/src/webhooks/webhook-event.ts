import type { WebhookEventType } from '../generated/models.ts';
import type { components } from '../generated/schema.ts';

type Schemas = components['schemas'];

/** An event as an endpoint receives it. `type` determines the type of `data`. */
export type WebhookEvent = Extract<
  Schemas[keyof Schemas],
  { type: WebhookEventType; apiVersion: string; data: unknown }
>;
