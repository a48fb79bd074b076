/** Markup that runs, closes what surrounds it, or hides the rest of a page if it is not escaped. */
export const MARKUP = `</textarea><script>alert(1)</script><b class="x" onclick='alert(2)'>&amp;`;

/** The same as far as tags may have it: no semicolon. */
export const MARKUP_TAG = '<script>alert(1)</script>"><b>';

/** Both directions, signs of other scripts and an emoji of several characters, as header values may have them. */
export const MIXED = 'שלום שמש Ünïcødé 漢字 👩🏽‍💻';

/** Marks that turn text around and hide it. Only bodies can contain them. */
export const OVERRIDE = 'invoice\u202Egpj.exe\u202C \u2066pay\u2069 a\u200Bb\u00ADc';

/** A word that no line of a page is wide enough for. */
export function unbroken(characters: number): string {
  return 'w'.repeat(characters);
}
