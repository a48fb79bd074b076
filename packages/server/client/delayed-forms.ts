/** A form that will be sent. */
export interface Delayed {
  readonly ids: readonly string[];
  readonly bytes: number;
  readonly cancel: () => void;
  /** For a page that is left: nothing receives the result. */
  readonly sendNow: () => void;
}

/** Browsers send no more than 64 KB of requests that outlive their page. */
export const KEEPALIVE_BYTES = 60_000;

/** What came of sending it. */
export type Sending =
  | { readonly kind: 'done'; readonly message: string }
  /** Nothing was done, and why. */
  | { readonly kind: 'refused'; readonly message: string; readonly href: string | null }
  /** The server responded with a page, which says what happened. */
  | { readonly kind: 'page'; readonly markup: string }
  | { readonly kind: 'signed-out'; readonly submit: () => void }
  /** Nothing was done: the page that the form leads to asks for a passkey. */
  | { readonly kind: 'passkey'; readonly message: string; readonly submit: () => void }
  | { readonly kind: 'lost' };

/** Sends the fields after a time, in the background. They are read now: what is typed later does not count. */
export function delay(
  form: HTMLFormElement,
  fields: FormData,
  ms: number,
  { onSend, onResult }: { readonly onSend: () => void; readonly onResult: (sending: Sending) => void },
): Omit<Delayed, 'ids'> {
  const { action } = form;
  const body = new URLSearchParams();
  for (const [name, value] of fields) body.append(name, String(value));
  body.append('byScript', '1');
  const text = body.toString();
  let isSent = false;
  const send = async (): Promise<void> => {
    isSent = true;
    onSend();
    onResult(await post(action, text, fields));
  };
  const timer = setTimeout(() => void send(), ms);
  return {
    bytes: text.length,
    cancel: () => clearTimeout(timer),
    sendNow: () => {
      // A request that has begun outlives the page, so it is not made again.
      if (isSent) return;
      clearTimeout(timer);
      isSent = true;
      onSend();
      void fetch(action, requestOf(text)).catch(() => {});
    },
  };
}

async function post(action: string, text: string, fields: FormData): Promise<Sending> {
  const response = await fetch(action, requestOf(text)).catch(() => null);
  if (response === null) return { kind: 'lost' };
  if (response.status === 401) return { kind: 'signed-out', submit: () => submitAgain(action, fields) };
  const type = response.headers.get('content-type') ?? '';
  const received = await response.text().catch(() => null);
  if (received === null) return { kind: 'lost' };
  if (type.startsWith('application/json')) return readResult(received, () => submitAgain(action, fields));
  if (type.startsWith('text/html') && (response.ok || !location.pathname.startsWith('/console'))) {
    return { kind: 'page', markup: received };
  }
  return { kind: 'refused', message: `Nothing was decided. ${problemIn(received, type)}`, href: null };
}

/** The page may be left before the response is there. */
function requestOf(body: string): RequestInit {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', body, headers, keepalive: body.length <= KEEPALIVE_BYTES };
}

function readResult(received: string, submit: () => void): Sending {
  // A response of our server (console/web/pages/approvals/script-result.ts), or a problem of its API.
  const result = JSON.parse(received) as {
    readonly isDone?: boolean;
    readonly message?: string;
    readonly href?: string;
    readonly detail?: string;
    readonly needsPasskey?: boolean;
  };
  if (result.isDone === true) return { kind: 'done', message: result.message ?? '' };
  if (result.needsPasskey === true) return { kind: 'passkey', message: result.message ?? '', submit };
  const message = result.message ?? `Nothing was decided. ${result.detail ?? ''}`;
  return { kind: 'refused', message, href: result.href ?? null };
}

function problemIn(received: string, type: string): string {
  if (!type.startsWith('text/html')) return 'The server did not accept it.';
  const page = new DOMParser().parseFromString(received, 'text/html');
  return page.querySelector('[role="alert"], h1')?.textContent ?? '';
}

/** As a form of the page, so that the response is a page. */
function submitAgain(action: string, fields: FormData): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action;
  for (const [name, value] of fields) {
    const field = document.createElement('textarea');
    field.name = name;
    field.value = String(value);
    form.append(field);
  }
  form.hidden = true;
  document.body.append(form);
  form.submit();
}
