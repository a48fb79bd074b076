import type { Host } from './host.ts';

/** Beyond this, the frame scrolls. Its content is bounded, and this holds whatever the content is. */
const HEIGHT_MAX = 1_600;

/** Reports the height of the content when it changes. The width is the host's, and so is the decision. */
export function reportSize(host: Host, content: HTMLElement): void {
  let last = 0;
  const report = () => {
    const height = Math.min(Math.ceil(content.getBoundingClientRect().height), HEIGHT_MAX);
    if (height === last || height <= 0) return;
    last = height;
    host.notify('ui/notifications/size-changed', { height });
  };
  new ResizeObserver(report).observe(content);
  report();
}
