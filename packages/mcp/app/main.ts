import { connectToHost, type Fields, fieldsOf } from './host.ts';
import { reportSize } from './size.ts';
import { readToolResult } from './tool-result.ts';
import { startUpdates, type Updates } from './updates.ts';
import { createView } from './view.ts';
import { timeZoneOf } from './words.ts';

/** The revision of MCP Apps that this frame speaks. */
const PROTOCOL = '2026-01-26';
const TIME_STEP_MS = 20_000;

void start({
  main: document.querySelector<HTMLElement>('main') ?? document.body,
  root: document.querySelector<HTMLElement>('#view') ?? document.body,
  news: document.querySelector<HTMLElement>('#news'),
});

interface Page {
  readonly main: HTMLElement;
  /** What the view replaces. */
  readonly root: HTMLElement;
  /** Read out by screen readers when it changes. */
  readonly news: HTMLElement | null;
}

/** The frame holds no key, and makes no requests: all it knows comes from its host, which calls the server with the key of the agent. */
async function start({ main, root, news }: Page): Promise<void> {
  let updates: Updates | null = null;
  let capabilities: Fields = {};
  let context: Fields = {};
  const results: Fields[] = [];
  let isReady = false;

  const host = connectToHost({
    onNotification(method, params) {
      if (method === 'ui/notifications/tool-result') {
        if (isReady) show(params);
        else results.push(params);
      }
      if (method === 'ui/notifications/tool-cancelled')
        view.show({ kind: 'said', title: 'The call was canceled', detail: 'Look in the console for its outcome.' });
      if (method === 'ui/notifications/host-context-changed') setContext(params);
    },
    onTeardown: () => updates?.stop(),
  });
  const view = createView({
    root,
    announce: (text) => {
      if (news !== null) news.textContent = text;
    },
    now: () => new Date(),
    timeZone: () => timeZoneOf(context['timeZone']),
    canRead: () => capabilities['serverTools'] !== undefined,
    open: async (url) => {
      const result = await host.request('ui/open-link', { url }).catch(() => null);
      return result !== null && result['isError'] !== true;
    },
  });

  function setContext(changed: Fields): void {
    context = { ...context, ...changed };
    const { theme } = context;
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
    view.refresh();
  }

  function show(result: Fields): void {
    updates?.stop();
    const shown = readToolResult(result);
    view.show(shown);
    if (shown.kind !== 'holds' || capabilities['serverTools'] === undefined) return;
    const ids = shown.holds.map(({ approvalId }) => approvalId);
    updates = startUpdates(host, ids, { onRead: view.update, onFault: view.fail });
  }

  const initialized = await host
    .request('ui/initialize', {
      appInfo: { name: 'postrider-held-send', title: 'Postrider', version: '1' },
      appCapabilities: { availableDisplayModes: ['inline'] },
      protocolVersion: PROTOCOL,
    })
    .catch(() => ({}));
  capabilities = fieldsOf(fieldsOf(initialized)['hostCapabilities']);
  setContext(fieldsOf(fieldsOf(initialized)['hostContext']));
  isReady = true;
  host.notify('ui/notifications/initialized', {});
  reportSize(host, main);
  for (const result of results) show(result);
  setInterval(view.refresh, TIME_STEP_MS);
}
