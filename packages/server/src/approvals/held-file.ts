/** Types that a browser shows without running anything of the file, in a page of its own that has no other rights. */
const SHOWN = new Map([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'].map((type) => [type, type] as const),
  ['application/pdf', 'application/pdf'],
  ['text/plain', 'text/plain; charset=utf-8'],
  ['text/csv', 'text/plain; charset=utf-8'],
]);

/** How a file of a held email is served to an approver: shown, or only to be saved. */
export interface ServedFile {
  readonly isShown: boolean;
  readonly contentType: string;
  readonly disposition: string;
}

/** Its type is what the sender says it is: browsers are told to believe it, and of any but the harmless types nothing is shown. */
export function serveFile(filename: string, contentType: string): ServedFile {
  const essence = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const shown = SHOWN.get(essence);
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const disposition = `${shown === undefined ? 'attachment' : 'inline'}; filename="${plain}"; filename*=UTF-8''${encodeName(filename)}`;
  return { isShown: shown !== undefined, contentType: shown ?? 'application/octet-stream', disposition };
}

/** RFC 8187; `encodeURIComponent` leaves `'()*` as they are. */
function encodeName(filename: string): string {
  return encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
