/**
 * Shows a PDF inside a page. The file is read in a frame whose origin is opaque: nothing in it can make a request, read the session or the
 * page, or navigate it (docs/decisions/0034). The page needs `frame-src 'self'`, and this markup:
 *
 *     <iframe sandbox="allow-scripts" src="/assets/pdf/frame" title="invoice.pdf"></iframe>
 */

/** @typedef {{ readonly shown: number, readonly pages: number }} ShownPdf how many of the pages are shown, and how many there are */

/** What to write in the page, by the reason that the frame names. Texts of the frame itself are not trusted. */
const FAILURES = /** @type {const} */ ({
  unreadable: 'This file is not a readable PDF. Download it only if you expect it.',
  locked: 'This PDF needs a password. Download it only if you expect it.',
  slow: 'This PDF takes too long to show. Download it only if you expect it.',
});
const MIN_HEIGHT = 120;
/** Longer documents scroll inside the frame. */
const MAX_HEIGHT = 1_200;
/** Longer than the frame itself waits for a page, so that only a frame that hangs is ended here. */
const PATIENCE_MS = 60_000;

/**
 * Resolves once the first page is visible. The frame then shows further pages as the reader scrolls to them.
 * @param {HTMLIFrameElement} frame
 * @param {ArrayBuffer} bytes are moved into the frame, and are empty afterwards
 * @param {{ readonly maxHeight?: number }} [options]
 * @returns {Promise<ShownPdf>} rejects with an error whose message is for the reader
 */
export function showPdf(frame, bytes, { maxHeight = MAX_HEIGHT } = {}) {
  return new Promise((resolve, reject) => {
    let isSent = false;
    let isShown = false;
    const stop = setTimeout(() => fail('slow'), PATIENCE_MS);

    /** @param {keyof typeof FAILURES} reason */
    function fail(reason) {
      clearTimeout(stop);
      removeEventListener('message', receive);
      frame.src = 'about:blank';
      reject(new Error(FAILURES[reason]));
    }

    /** @param {MessageEvent} message */
    function receive({ source, data }) {
      // The origin of the frame is `null`, like that of every other sandboxed frame: its window identifies it.
      if (source === null || source !== frame.contentWindow || typeof data !== 'object' || data === null) return;
      if (data.kind === 'ready' && !isSent) {
        isSent = true;
        frame.contentWindow.postMessage({ kind: 'show', bytes }, '*', [bytes]);
      } else if (data.kind === 'height') {
        frame.style.height = `${clamp(data.height, maxHeight)}px`;
      } else if (data.kind === 'failed' && !isShown) {
        fail(Object.hasOwn(FAILURES, data.reason) ? data.reason : 'unreadable');
      } else if (data.kind === 'shown') {
        isShown = true;
        clearTimeout(stop);
        resolve({ shown: toCount(data.shown), pages: toCount(data.pages) });
      }
    }

    addEventListener('message', receive);
    // A frame that has loaded already responds with `ready`; any other one sends it when it has.
    frame.contentWindow?.postMessage({ kind: 'hello' }, '*');
  });
}

/**
 * A frame can claim any height, and must not push the rest of the page out of reach.
 * @param {unknown} height
 * @param {number} maxHeight
 */
function clamp(height, maxHeight) {
  return Math.min(Math.max(Number(height) || 0, MIN_HEIGHT), maxHeight);
}

/** @param {unknown} value */
function toCount(value) {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
}
