import { type PostedRequest, post } from './post-and-forget.ts';

/** The attacked server, and the attacker's credentials. */
export interface HostileTarget {
  readonly port: number;
  /** The port of SMTP submission with TLS; null if it is off. */
  readonly smtpsPort: number | null;
  /** A key without restrictions, of an account with tracking. */
  readonly key: string;
  /** A key whose messages are checked for links before they are sent. */
  readonly heldKey: string;
  /** A key that can decide holds. */
  readonly decidingKey: string;
  /** Creates an approver's link to a hold. Resolves with its token. */
  readonly makeLink: (approvalId: string) => Promise<string>;
}

export interface HostileRequest {
  readonly kind: string;
  readonly name: string;
  /** Prepares the request before the measurement. The returned function sends it and resolves with its outcome. */
  prepare(target: HostileTarget): (() => Promise<string>) | Promise<() => Promise<string>>;
}

export function http(
  kind: string,
  name: string,
  make: (target: HostileTarget) => PostedRequest | Promise<PostedRequest>,
): HostileRequest {
  return {
    kind,
    name,
    prepare: async (target) => {
      const request = await make(target);
      return () => post(target.port, request);
    },
  };
}

export function json(
  path: string,
  key: string | null,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): PostedRequest {
  return { path, key, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
}

export function get(path: string, key: string | null): PostedRequest {
  return { path, key, method: 'GET', headers: {}, body: null };
}
