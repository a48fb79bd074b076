import type { Approval } from '@postrider/core';
import { attributes, type Html, html } from '../../../html/page-markup.ts';
import { revealed } from '../../../ui/components/revealed-text.ts';
import { flushCard } from '../../../ui/components/surfaces.ts';
import { PAGE_ASSETS } from '../../../ui/page-assets.ts';
import { serveFile } from '../../held-file.ts';
import { formatSize } from '../../hold-words.ts';
import type { Excerpt } from './shown-hold.ts';

type File = Approval['attachments'][number];

interface FilesView {
  readonly attachments: readonly File[];
  /** The address under which each file is at `/files/<index>`. */
  readonly base: string;
  /** The beginnings of attached texts, by the index of the file. */
  readonly excerpts: Readonly<Record<number, Excerpt>>;
}

/** The attached files. Pictures, PDFs and texts are shown in the page; everything else is only offered as a download, with a warning. */
export function heldFiles(view: FilesView): Html {
  const { attachments } = view;
  if (attachments.length === 0) return html``;
  const title = attachments.length === 1 ? '1 attached file' : `${attachments.length} attached files`;
  return flushCard(title, html`<ul class="files">${attachments.map((file, index) => item(view, file, index))}</ul>`);
}

function item(view: FilesView, file: File, index: number): Html {
  const { filename, contentType, size } = file;
  const { isShown, contentType: served } = serveFile(filename, contentType);
  const href = `${view.base}/files/${index}`;
  const link = html`<a class="button small" href="${href}" target="_blank" rel="noopener noreferrer">${isShown ? 'Open' : 'Download'}<span class="unseen"> ${filename}</span></a>`;
  const warning = isShown
    ? null
    : html`<p class="small caution-text">Files of this type can run programs. It is never opened here; download it only if you expect it.</p>`;
  return html`<li><div class="row"><span><b>${revealed(filename)}</b> <span class="small faint">${typeWords(served)}, ${formatSize(size)}</span></span><span class="end">${link}</span></div>${warning}${preview(view, file, index, served)}</li>`;
}

/** Larger pictures and PDFs are only opened on request. */
const SHOWN_BYTES = 20_000_000;

function preview({ base, excerpts }: FilesView, { filename, size }: File, index: number, served: string): Html {
  const href = `${base}/files/${index}`;
  if (served.startsWith('image/') && size <= SHOWN_BYTES)
    return html`<details class="more preview"><summary>Show the picture</summary><img src="${href}" alt="${filename}" loading="lazy" decoding="async"></details>`;
  if (served === 'application/pdf' && size <= SHOWN_BYTES) {
    const given = { 'data-pdf': href, 'data-viewer': PAGE_ASSETS.url('pdf-view.js'), 'data-name': filename };
    return html`<details class="more preview"${attributes(given)} hidden><summary>Show the pages</summary><div class="pdf-pages" aria-live="polite" data-keep></div></details>`;
  }
  const excerpt = excerpts[index];
  if (excerpt === undefined) return html``;
  return html`<details class="more preview"><summary>Show the text</summary><pre tabindex="0" role="region" aria-label="Text of ${filename}">
${excerpt.text}</pre>${excerpt.isCut ? html`<p class="small">This is the beginning. Open the file to read all of it.</p>` : null}</details>`;
}

function typeWords(served: string): string {
  if (served.startsWith('image/')) return 'picture';
  if (served === 'application/pdf') return 'PDF';
  return served.startsWith('text/') ? 'text' : 'file';
}
