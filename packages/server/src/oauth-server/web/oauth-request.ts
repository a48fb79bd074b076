import type { FastifyRequest } from 'fastify';
import type { AuthServices } from '../../auth/auth-services.ts';
import type { AnonymousRateLimit } from '../../http/anonymous-rate-limit.ts';
import type { KeyTools } from '../../keys/manage-keys.ts';
import type { LoadedServer } from '../oauth-service.ts';

export interface OAuthServerRouteOptions {
  readonly auth: AuthServices;
  readonly baseUrl: string;
  readonly anonymousRates: AnonymousRateLimit;
  readonly keys: KeyTools;
  readonly load: () => Promise<LoadedServer>;
  /** Whether programs can name themselves by the URL of metadata that they publish. */
  readonly fetchesMetadata: boolean;
}

/** The body of a request, as it was sent. */
export function bytesOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
