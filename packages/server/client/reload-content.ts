import { Idiomorph } from 'idiomorph';
import { enhance } from './enhance.ts';

const dirty = new WeakSet<Element>();
document.addEventListener('input', (event) => {
  const form = event.target instanceof Element ? event.target.closest('form') : null;
  if (form !== null) dirty.add(form);
});

export type Reloaded = 'shown' | 'signed-out' | 'failed';

/**
 * Loads the page again and changes what differs. Focus, scrolling, open parts and everything typed stay: a form that was edited is not
 * touched.
 */
export async function reloadContent(address = location.href): Promise<Reloaded> {
  if (isResultShown()) return 'shown';
  const response = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => null);
  if (response === null) return 'failed';
  if (response.redirected && new URL(response.url).pathname.startsWith('/auth/')) return 'signed-out';
  if (!response.ok) return 'failed';
  const text = await response.text();
  // The reader may have gone to another page of the console meanwhile.
  if (address !== location.href || isResultShown()) return 'shown';
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  for (const selector of ['.side nav', '.menu nav', '#content > .inner']) morph(selector, fresh);
  document.dispatchEvent(new Event('content-shown'));
  return 'shown';
}

/** The response to a form has no address from which it could be loaded again. */
function isResultShown(): boolean {
  return document.querySelector('[data-result]') !== null;
}

/** A form whose content was sent is no longer one that is being edited. */
export function forgetTyped(form: HTMLFormElement): void {
  dirty.delete(form);
}

/** Replaces one part of the page by that of another response. */
export function reloadPart(selector: string, page: string): void {
  morph(selector, new DOMParser().parseFromString(page, 'text/html'));
}

function morph(selector: string, fresh: Document): void {
  const old = document.querySelector(selector);
  const next = fresh.querySelector(selector);
  if (old === null || next === null) return;
  // Times are compared as the reader sees them.
  enhance(next);
  Idiomorph.morph(old, next.innerHTML, {
    morphStyle: 'innerHTML',
    ignoreActiveValue: true,
    callbacks: {
      beforeNodeMorphed: (node) => !(node instanceof Element && (dirty.has(node) || node.matches('[data-keep]'))),
      beforeNodeRemoved: (node) => !(node instanceof Element && node.matches('[data-passing]')),
      beforeAttributeUpdated: (name, node) =>
        !(
          // The height of a frame that was fitted to its content.
          (name === 'style' && node instanceof HTMLIFrameElement) ||
          (name === 'open' && node instanceof HTMLDetailsElement) ||
          // A heading that has the focus would lose it.
          (name === 'tabindex' && node === document.activeElement) ||
          (name === 'aria-selected' && node instanceof HTMLElement)
        ),
    },
  });
}
