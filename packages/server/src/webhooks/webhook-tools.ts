import type { SecretBox } from '../keys/secret-box.ts';
import type { AddressPolicy } from '../outbound/public-address.ts';

/** The tools that manage endpoints. */
export interface WebhookTools {
  readonly secrets: SecretBox;
  /** Where endpoints may lead. */
  readonly policy: AddressPolicy;
  /** Makes the worker of this process, if there is one, check for deliveries at once. Other workers find them soon. */
  wake(): void;
}
