import type { TracedConnection } from './exchange.ts';
import type { ServerReply } from './transport.ts';

/**
 * How a connection failed: `lost` (closed or reset by the other side), `timeout`, `protocol` (an invalid reply), `tls`
 * (no secure connection), `unready` (the server, or one of our rules, did not accept a message).
 */
export type SmtpFaultKind = 'lost' | 'timeout' | 'protocol' | 'tls' | 'unready';

/** A connection that could not be opened or was lost. The message is plain text and contains no secrets. */
export class SmtpFault extends Error {
  override readonly name = 'SmtpFault';
  readonly kind: SmtpFaultKind;
  readonly reply: ServerReply | null;
  /** The connection as far as it got, if it failed before it could send a message. */
  connection: TracedConnection | null = null;

  constructor(kind: SmtpFaultKind, message: string, reply: ServerReply | null = null) {
    super(message);
    this.kind = kind;
    this.reply = reply;
  }
}

const WORDS_BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed by the other side',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  EADDRNOTAVAIL: 'no local address is available',
  EMFILE: 'this machine has too many open files',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the DNS lookup of the host name failed',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain ends in an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is from an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

/** Describes a socket error in plain words and adds its code, which users can search for. */
export function describeSocketError(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? describeErrorCode(error.code) : 'the connection failed';
}

/** Describes an error code of Node, OpenSSL or the operating system. */
export function describeErrorCode(code: string): string {
  return `${WORDS_BY_CODE[code] ?? 'the connection failed'} (${code})`;
}
