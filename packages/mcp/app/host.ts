/** The client that shows this frame, over JSON-RPC in window messages (MCP Apps 2026-01-26). */
export interface Host {
  /** @throws an error with the host's message if it refuses, or after the time */
  request(method: string, params: Fields, timeoutMs?: number): Promise<Fields>;
  notify(method: string, params: Fields): void;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface HostListeners {
  readonly onNotification: (method: string, params: Fields) => void;
  /** Called before the host removes the frame. */
  readonly onTeardown: () => void;
}

const REQUEST_MS = 20_000;
const METHOD_NOT_FOUND = -32_601;

export function connectToHost({ onNotification, onTeardown }: HostListeners): Host {
  const waiting = new Map<unknown, { resolve: (result: Fields) => void; reject: (error: Error) => void }>();
  let lastId = 0;

  // The origin of a host is not known here, and what is sent is nothing that it does not have.
  const post = (message: Fields) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

  window.addEventListener('message', ({ source, data }) => {
    const { jsonrpc, id, method, params, result, error } = fieldsOf(data);
    if (source !== window.parent || jsonrpc !== '2.0') return;
    if (typeof method === 'string') {
      if (id === undefined) onNotification(method, fieldsOf(params));
      else respond(id, method);
      return;
    }
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) caller?.resolve(fieldsOf(result));
    else caller?.reject(new Error(String(fieldsOf(error)['message'] ?? 'refused')));
  });

  function respond(id: unknown, method: string): void {
    if (method === 'ui/resource-teardown') onTeardown();
    if (method === 'ui/resource-teardown' || method === 'ping') post({ id, result: {} });
    else post({ id, error: { code: METHOD_NOT_FOUND, message: `Unknown method ${method}` } });
  }

  return {
    request(method, params, timeoutMs = REQUEST_MS) {
      lastId += 1;
      const id = lastId;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const response = new Promise<Fields>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error('no response'));
        }, timeoutMs);
      });
      post({ id, method, params });
      return response.finally(() => clearTimeout(timer));
    },
    notify: (method, params) => post({ method, params }),
  };
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
