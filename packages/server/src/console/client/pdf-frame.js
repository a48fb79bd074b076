/**
 * The inside of the frame: draws the pages of one PDF that the parent sends. Everything here may be controlled by a hostile file, so it
 * sends the parent only what the parent can check.
 */
import * as pdfjs from './pdf.js';
import { readBinaryData } from './pdf-data.js';
import { createPageView } from './pdf-page.js';

const MAX_PAGES = 50;
/** For opening the file, and for each page. A file that expands without end is stopped by it. */
const MAX_MS = 15_000;
const START_MS = 10_000;
/** A larger image is left out: decoded, it would take more than 100 MB. */
const MAX_IMAGE_PIXELS = 32 * 1024 * 1024;

const main = /** @type {HTMLElement} */ (document.querySelector('main'));
/** The origin in the URL of this page, which is the parent's: that of the document itself is opaque. */
const PARENT = new URL(location.href).origin;
let isStarted = false;

/** @param {Record<string, unknown>} message */
const tellParent = (message) => parent.postMessage(message, PARENT);

addEventListener('message', ({ source, data }) => {
  if (source !== parent || isStarted || typeof data !== 'object' || data === null) return;
  if (data.kind === 'hello') tellParent({ kind: 'ready' });
  if (data.kind !== 'show' || !(data.bytes instanceof ArrayBuffer)) return;
  isStarted = true;
  show(data.bytes).catch((error) => tellParent({ kind: 'failed', reason: reasonOf(error) }));
});
new ResizeObserver(() => tellParent({ kind: 'height', height: document.documentElement.scrollHeight })).observe(main);
tellParent({ kind: 'ready' });

/** @param {ArrayBuffer} bytes */
async function show(bytes) {
  const worker = await startWorker();
  const stop = () => worker?.terminate();
  const task = pdfjs.getDocument({
    data: new Uint8Array(bytes),
    worker: pdfjs.PDFWorker.create(worker === null ? {} : { port: worker }),
    BinaryDataFactory: class {
      /** @param {{ kind: string, filename: string }} file */
      fetch = ({ kind, filename }) => readBinaryData(kind, filename);
    },
    useWorkerFetch: false,
    useSystemFonts: false,
    disableWorkerRendering: true,
    enableXfa: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    verbosity: 0,
  });
  try {
    const pdf = await within(MAX_MS, task.promise);
    const shown = Math.min(pdf.numPages, MAX_PAGES);
    const view = createPageView(main, {
      total: pdf.numPages,
      within: (work) => within(MAX_MS, work),
      // The worker may be busy with that page for ever.
      onError: (error) => error instanceof TooSlow && stop(),
    });
    view.add(await within(MAX_MS, pdf.getPage(1)));
    await view.drawn(1);
    tellParent({ kind: 'shown', shown, pages: pdf.numPages });
    await addFurther(pdf, view, shown);
  } catch (error) {
    stop();
    throw error;
  }
}

/** A page that cannot be read does not take away those that can. */
async function addFurther(pdf, view, shown) {
  try {
    for (let number = 2; number <= shown; number += 1) view.add(await within(MAX_MS, pdf.getPage(number)));
    if (shown < pdf.numPages)
      view.note(`Only the first ${shown} of ${pdf.numPages} pages are shown. Download the file to read the rest.`);
  } catch {
    view.note('The other pages cannot be shown. Download the file to read them.');
  }
}

/** Files are read in a worker, which can be ended. Null if the browser starts none here: then they are read in this frame. */
async function startWorker() {
  const url = import.meta.resolve('./pdf-worker.js');
  try {
    // An opaque origin may start workers from its own blobs only, and browsers refuse those as modules.
    const script = `import(${JSON.stringify(url)}).catch((error) => setTimeout(() => { throw error; }));`;
    const start = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    const worker = new Worker(start);
    const isReady = new Promise((resolve, reject) => {
      worker.addEventListener('message', resolve, { once: true });
      worker.addEventListener('error', reject, { once: true });
    });
    await within(START_MS, isReady);
    return worker;
  } catch {
    Object.assign(globalThis, { pdfjsWorker: await import('./pdf-worker.js') });
    return null;
  }
}

class TooSlow extends Error {}

/**
 * @template T
 * @param {number} ms
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
async function within(ms, work) {
  let timer = 0;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new TooSlow()), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  if (error instanceof TooSlow) return 'slow';
  return error instanceof Error && error.name === 'PasswordException' ? 'locked' : 'unreadable';
}
