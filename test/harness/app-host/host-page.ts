import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { HostRecord, ShownApp } from './shown-app.ts';

/**
 * The page of a client that shows a view, built on the library that clients use. It runs in the browser. The view is in a frame of another
 * origin, in a sandbox, and may do only what a client must allow (MCP Apps 2026-01-26).
 */
declare global {
  interface Window {
    readonly callServer: (name: string, given: unknown) => Promise<never>;
    readonly hostRecord: HostRecord;
    showApp(app: ShownApp): Promise<void>;
    changeContext(context: Readonly<Record<string, string>>): Promise<void>;
  }
}

const record: HostRecord = { heights: [], opened: [], refused: [], methods: [], faults: [] };
Object.assign(window, { hostRecord: record });

window.showApp = async ({ html, tools, given, result, capabilities, context, opensLinks, heightMax, width }) => {
  const frame = document.createElement('iframe');
  frame.style.cssText = `border: 0; width: ${width}px; height: 0; display: block`;
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  const { hostname, port, protocol } = location;
  frame.src = `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${port}/sandbox`;
  document.body.replaceChildren(frame);
  const target = frame.contentWindow;
  if (target === null) throw new Error('the frame has no window');
  window.addEventListener('message', ({ source, data }) => {
    if (source === target && typeof data?.method === 'string') record.methods.push(data.method);
  });
  const bridge = new AppBridge(null, { name: 'test host', version: '1.0.0' }, capabilities, {
    hostContext: { ...context, containerDimensions: { maxHeight: heightMax, width } },
  });
  bridge.onerror = ({ message }) => record.faults.push(message);
  bridge.onsizechange = ({ height }) => {
    record.heights.push(height ?? 0);
    // The host decides: a view that reports another size gets no more.
    frame.style.height = `${Math.min(Math.max(height ?? 0, 0), heightMax)}px`;
  };
  bridge.onopenlink = async ({ url }) => {
    if (!opensLinks) return { isError: true };
    record.opened.push(url);
    return {};
  };
  bridge.oncalltool = async ({ name, arguments: by }) => {
    const visibility = tools.find((tool) => tool.name === name)?.visibility ?? [];
    if (visibility.includes('app')) return await window.callServer(name, by);
    record.refused.push(name);
    throw new Error(`This view may not call ${name}.`);
  };
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
  await bridge.connect(new PostMessageTransport(target, target));
  await initialized;
  await bridge.sendToolInput({ arguments: { ...given } });
  await bridge.sendToolResult(result);
  window.changeContext = async (changed) => bridge.setHostContext({ ...context, ...changed });
};
