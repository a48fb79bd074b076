import type { AuthServices } from '../auth-services.ts';
import type { RelyingParty } from './relying-party.ts';

export interface PasskeyTools {
  readonly auth: Pick<AuthServices, 'tools' | 'secrets' | 'onError'>;
  readonly party: RelyingParty;
}
