import type { SecretBox } from '../keys/secret-box.ts';
import type { AddressPolicy } from '../outbound/public-address.ts';

/** What endpoints are kept with. */
export interface WebhookTools {
  readonly secrets: SecretBox;
  /** Where endpoints may lead. */
  readonly policy: AddressPolicy;
  /** Has the worker of this process, where there is one, look for deliveries at once; others look by themselves soon. */
  wake(): void;
}
