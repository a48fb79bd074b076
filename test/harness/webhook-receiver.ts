import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as received, byte for byte. */
  readonly body: string;
  // Tests read events of any type; their assertions check it.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly event: any;
}

/** Handles an event. Without `end`, the sender keeps waiting. */
export type Responding = (event: ReceivedEvent, response: ServerResponse, count: number) => void;

export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedEvent[];
  /** Replaces the handler from now on. */
  respond(how: number | Responding): void;
  /** Resolves once this many have arrived in total. */
  count(atLeast: number): Promise<readonly ReceivedEvent[]>;
  /** Resolves with the first match, among those received or still to come. */
  first(matches: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>;
  close(): Promise<void>;
}

/** An endpoint on loopback that stores what it receives. By default it responds with 200. */
export async function startWebhookReceiver(how: number | Responding = 200): Promise<WebhookReceiver> {
  const received: ReceivedEvent[] = [];
  let responding = toResponding(how);
  let waiting: (() => boolean)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const event = { path: request.url ?? '', headers: request.headers, body, event: parse(body) };
      received.push(event);
      responding(event, response, received.length);
      waiting = waiting.filter((isOver) => !isOver());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const isOver = () => {
        const found = look();
        if (found === undefined) return false;
        resolve(found);
        return true;
      };
      if (!isOver()) waiting.push(isOver);
    });
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    respond(next) {
      responding = toResponding(next);
    },
    count: (atLeast) => until(() => (received.length >= atLeast ? received : undefined)),
    first: (matches) => until(() => received.find(matches)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toResponding(how: number | Responding): Responding {
  return typeof how === 'function' ? how : (_event, response) => void response.writeHead(how).end('noted');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** Whether one of the event's signatures is made with this secret, calculated from the Standard Webhooks specification alone. */
export function isSignedWith({ headers, body }: Pick<ReceivedEvent, 'headers' | 'body'>, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(signature);
}
