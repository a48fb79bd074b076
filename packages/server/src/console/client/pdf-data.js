/**
 * Fonts, character maps and decoders that few files need. They are scripts, because the frame may load nothing else.
 * @type {Readonly<Record<string, () => Promise<{ default: Readonly<Record<string, string>> }>>>}
 */
const SOURCES = {
  standardFontDataUrl: () => import('./pdf-fonts.js'),
  cMapUrl: () => import('./pdf-cmaps.js'),
  wasmUrl: () => import('./pdf-decoders.js'),
};

/**
 * @param {string} kind as pdf.js names it
 * @param {string} name of a file
 * @returns {Promise<Uint8Array>}
 */
export async function readBinaryData(kind, name) {
  const files = Object.hasOwn(SOURCES, kind) ? (await SOURCES[kind]()).default : {};
  if (!Object.hasOwn(files, name)) throw new Error(`There is no file ${name}.`);
  return Uint8Array.from(atob(files[name]), (character) => character.charCodeAt(0));
}
