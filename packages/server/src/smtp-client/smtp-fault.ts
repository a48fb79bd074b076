import type { ServerReply } from './transport.ts';

/**
 * How a connection failed: `lost` (closed or reset by the other side), `timeout`, `protocol` (an answer that makes no
 * sense), `tls` (no secure channel), `unready` (the server, or a rule of ours, would not let a message through).
 */
export type SmtpFaultKind = 'lost' | 'timeout' | 'protocol' | 'tls' | 'unready';

/** A connection that could not be opened or went away. The message is plain words without any secret. */
export class SmtpFault extends Error {
  override readonly name = 'SmtpFault';
  readonly kind: SmtpFaultKind;
  readonly reply: ServerReply | null;

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
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'no local address was available',
  EMFILE: 'too many files are open on this machine',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be looked up',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain ends in an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is from an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

/** What a socket error means in plain words, with its code for those who search for it. */
export function describeSocketError(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? describeErrorCode(error.code) : 'the connection failed';
}

/** The same for an error code of Node, OpenSSL or the operating system. */
export function describeErrorCode(code: string): string {
  return `${WORDS_BY_CODE[code] ?? 'the connection failed'} (${code})`;
}
