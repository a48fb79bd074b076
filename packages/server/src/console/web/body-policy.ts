/** For HTML of third parties: styles and embedded images show, but nothing runs or loads, so that the sender cannot see that it was read. */
const BODY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox";

/** Of everything that a message contains, in a frame or as a file. */
export const BODY_HEADERS = {
  'content-security-policy': BODY_POLICY,
  'x-dns-prefetch-control': 'off',
  'referrer-policy': 'no-referrer',
} as const;
