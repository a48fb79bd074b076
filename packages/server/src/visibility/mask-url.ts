import { maySee, type Viewer } from '@postrider/core';

/** The part of a webhook URL that a caller may see: paths and queries often contain the receiver's secret. */
export function visibleUrl(url: string, viewer: Viewer): string {
  return maySee(viewer, 'webhook.address', null) ? url : maskUrl(url);
}

function maskUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? '***' : `${parsed.protocol}//${parsed.host}/***`;
}
