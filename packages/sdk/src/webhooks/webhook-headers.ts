/** A platform's `Headers`, or an object such as Node's `request.headers`, with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of Standard Webhooks; null if one is missing. */
export interface SignatureHeaders {
  readonly id: string | null;
  readonly timestamp: string | null;
  readonly signature: string | null;
}

export function readSignatureHeaders(headers: WebhookHeaders): SignatureHeaders {
  const read = readerOf(headers);
  return { id: read('webhook-id'), timestamp: read('webhook-timestamp'), signature: read('webhook-signature') };
}

function readerOf(headers: WebhookHeaders): (name: string) => string | null {
  if (typeof headers !== 'object' || headers === null) throw new TypeError('headers must be the request’s headers');
  if (isHeaders(headers)) return (name) => headers.get(name) || null;
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = byName.get(name);
    return (typeof value === 'string' ? value : value?.join(' ')) || null;
  };
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return 'get' in headers && typeof headers.get === 'function';
}
