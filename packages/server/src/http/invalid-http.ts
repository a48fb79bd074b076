import type { IncomingMessage } from 'node:http';
import { LIMITS } from '@postrider/core';
import { type ProblemDetails, ProblemError } from '../problem.ts';

const RFC = 'Send HTTP/1.1 as defined in RFC 9112.';

/** The faults that Node's parser reports, by its codes. */
const FAULTS: Readonly<Record<string, ProblemDetails>> = {
  HPE_INVALID_METHOD: {
    detail: 'The request does not begin with a known method.',
    fix: 'Use GET, POST, PATCH or DELETE, in capital letters.',
  },
  HPE_INVALID_URL: badRequestLine(),
  HPE_INVALID_CONSTANT: badRequestLine(),
  HPE_INVALID_VERSION: { detail: 'The HTTP version of the request is not supported.', fix: 'Use HTTP/1.1.' },
  HPE_INVALID_HEADER_TOKEN: {
    detail: 'A header has a character that is not allowed.',
    fix: 'Use letters, digits and hyphens in header names, and no control characters in their values.',
  },
  HPE_INVALID_CONTENT_LENGTH: badLength(),
  HPE_UNEXPECTED_CONTENT_LENGTH: badLength(),
  HPE_INVALID_TRANSFER_ENCODING: badLength(),
  HPE_INVALID_CHUNK_SIZE: {
    detail: 'The chunks of the body are not valid.',
    fix: 'Begin each chunk with its size in hexadecimal digits, or send `Content-Length` instead.',
  },
};

function badRequestLine(): ProblemDetails {
  return {
    detail: 'The first line of the request is not a method, a path and a version.',
    fix: 'Encode spaces and other special characters of the path as %20 and so on.',
  };
}

function badLength(): ProblemDetails {
  return {
    detail: 'The length of the body is not clear from `Content-Length` and `Transfer-Encoding`.',
    fix: 'Send one `Content-Length` with the number of bytes, or `Transfer-Encoding: chunked`.',
  };
}

/** The first byte of a TLS connection. */
const TLS_HANDSHAKE = 0x16;

/** What is wrong with data that Node could not read as a request. */
export function faultOfUnreadable({ code, rawPacket }: { readonly code?: string; readonly rawPacket?: unknown }) {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ProblemError('payload_too_large', {
      detail: `The URL and the headers have more than ${LIMITS.headerSectionBytes} bytes together.`,
      fix: 'Send a shorter URL or query string, or fewer or shorter headers.',
    });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ProblemError('invalid_json', {
      detail: 'The request was not received completely in time.',
      fix: 'Send the whole request without pauses.',
    });
  }
  if (Buffer.isBuffer(rawPacket) && rawPacket[0] === TLS_HANDSHAKE) {
    return new ProblemError('invalid_json', {
      detail: 'The client started TLS, but this port has no TLS.',
      fix: 'Use an http:// URL, or the https address of the proxy in front of the server.',
    });
  }
  return new ProblemError(
    'invalid_json',
    FAULTS[code ?? ''] ?? { detail: 'This is not a valid HTTP request.', fix: RFC },
  );
}

/** Node's own responses to these faults have neither a body nor a request id, so it leaves both to this function. Null if there are none. */
export function faultOfHeaders({ headers, httpVersion }: IncomingMessage): ProblemError | null {
  const { host, expect } = headers;
  if (host === undefined && httpVersion === '1.1') {
    return new ProblemError('invalid_json', {
      detail: 'The request has no `Host` header.',
      fix: 'Send `Host` with the name of the server, as HTTP/1.1 requires.',
    });
  }
  if (expect === undefined || CONTINUE.test(expect)) return null;
  return new ProblemError('invalid_json', {
    detail: 'The request has an `Expect` header that the server does not support.',
    fix: 'Omit `Expect`, or send `Expect: 100-continue`.',
  });
}

/** As Node recognizes it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
