import { type PostedRequest, post } from './post-and-forget.ts';

/** A server that is attacked, and what the attacker has. */
export interface HostileTarget {
  readonly port: number;
  /** Of SMTP submission with TLS; null where it is closed. */
  readonly smtpsPort: number | null;
  /** A key without restrictions, of an account that tracks what it sends. */
  readonly key: string;
  /** A key whose links are looked at before they are sent. */
  readonly heldKey: string;
  /** A key that decides about holds. */
  readonly decidingKey: string;
  /** Makes the link of an approver to a hold, and resolves with its token. */
  readonly makeLink: (approvalId: string) => Promise<string>;
}

export interface HostileRequest {
  readonly kind: string;
  readonly name: string;
  /** Makes what is sent, before anything is measured; what it returns sends it, and resolves with what became of it. */
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
