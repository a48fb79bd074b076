import { endDecisionPauseSoon, pauseDecisions } from './decision-pause.ts';
import { enhance } from './enhance.ts';

let visits = 0;

/**
 * Shows another page of the console in this document, so that what is being done here goes on. The content is replaced rather than changed:
 * a frame whose address changes would add an entry to the history.
 */
export async function visit(address: string, how: 'push' | 'replace' = 'push'): Promise<void> {
  visits += 1;
  const mine = visits;
  pauseDecisions();
  const response = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => null);
  const markup = (await response?.text().catch(() => null)) ?? null;
  // A later visit counts: an undo can come before the next page is there.
  if (mine !== visits) return;
  const isElsewhere = response?.redirected === true && new URL(response.url).pathname.startsWith('/auth/');
  if (markup === null || isElsewhere || !showPage(markup)) {
    location.assign(address);
    return;
  }
  if (how === 'push') history.pushState({ isVisit: true }, '', address);
}

/**
 * Shows a page that was received. False if it is not a page like this one.
 * @param isResult whether it is the response to a form: its address has another page, so live changes must not reload it
 */
export function showPage(markup: string, isResult = false): boolean {
  const fresh = new DOMParser().parseFromString(markup, 'text/html');
  const selector = document.querySelector('#content') === null ? 'main' : '#content';
  const old = document.querySelector(selector);
  const next = fresh.querySelector(selector);
  if (old === null || next === null) return false;
  for (const nav of ['.side nav', '.menu nav']) {
    const shown = fresh.querySelector(nav);
    if (shown !== null) document.querySelector(nav)?.replaceWith(document.adoptNode(shown));
  }
  enhance(next);
  next.toggleAttribute('data-result', isResult);
  old.replaceWith(document.adoptNode(next));
  document.title = fresh.title;
  scrollTo(0, 0);
  // Screen readers start at the new page, as after a navigation.
  const heading = document.querySelector<HTMLElement>('h1');
  if (heading !== null) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  document.dispatchEvent(new Event('content-shown'));
  endDecisionPauseSoon();
  return true;
}

/** Going back to a page that was left by a visit. */
export function followHistory(): void {
  history.replaceState({ isVisit: true }, '');
  addEventListener('popstate', ({ state }) => {
    if ((state as { readonly isVisit?: boolean } | null)?.isVisit === true) void visit(location.href, 'replace');
  });
}
