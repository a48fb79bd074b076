import { deflateSync } from 'node:zlib';

/** An object of a PDF: its dictionary, and the bytes of its stream. */
type PdfObject = string | { readonly dictionary: string; readonly stream: Buffer };

interface PdfOptions {
  /** Text of each page, in Helvetica, which is not embedded. */
  readonly pages?: readonly string[];
  /** Further objects, from number 100 on. */
  readonly extra?: readonly PdfObject[];
  /** Entries of the catalog. */
  readonly catalog?: string;
  /** Entries of each page. */
  readonly page?: string;
  readonly mediaBox?: string;
  /** The names of standard fonts, which are F1, F2 and so on. */
  readonly fonts?: readonly string[];
  /** Entries of the resources of each page. */
  readonly resources?: string;
  /** The content of each page, instead of its text. */
  readonly content?: PdfObject;
  /** That of the last page. */
  readonly lastContent?: PdfObject;
}

/** Writes a small PDF by hand. */
export function createPdf({
  pages = ['Invoice 4711'],
  extra = [],
  catalog = '',
  page = '',
  mediaBox = '0 0 595 842',
  fonts = ['Helvetica'],
  resources = '',
  content,
  lastContent,
}: PdfOptions = {}): Buffer {
  const objects = new Map<number, PdfObject>();
  const numbers = pages.map((_, index) => 1_000 + 2 * index);
  objects.set(1, `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`);
  objects.set(2, `<< /Type /Pages /Count ${pages.length} /Kids [${numbers.map((n) => `${n} 0 R`).join(' ')}] >>`);
  const fontsByName = fonts
    .map((name, n) => `/F${n + 1} << /Type /Font /Subtype /Type1 /BaseFont /${name} >>`)
    .join(' ');
  for (const [index, object] of extra.entries()) objects.set(100 + index, object);
  for (const [index, text] of pages.entries()) {
    const number = numbers[index] ?? 0;
    objects.set(
      number,
      `<< /Type /Page /Parent 2 0 R /MediaBox [${mediaBox}] /Resources << /Font << ${fontsByName} >> ${resources} >> /Contents ${number + 1} 0 R ${page} >>`,
    );
    const own = index === pages.length - 1 ? (lastContent ?? content) : content;
    objects.set(number + 1, own ?? toStream(`BT /F1 48 Tf 60 700 Td (${text}) Tj ET`));
  }
  return writePdf(objects);
}

/** A page's content that expands to so many megabytes of drawing. */
export function createBomb(megabytes: number): PdfObject {
  const once = deflateSync(Buffer.alloc(megabytes * 1024 * 1024, '0 0 m 9 9 l S '), { level: 9 });
  return { dictionary: `/Filter [/FlateDecode /FlateDecode]`, stream: deflateSync(once, { level: 9 }) };
}

export function toStream(text: string, dictionary = ''): PdfObject {
  return { dictionary, stream: Buffer.from(text) };
}

function writePdf(objects: ReadonlyMap<number, PdfObject>): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets = new Map<number, number>();
  let length = parts[0]?.length ?? 0;
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [number, object] of objects) {
    offsets.set(number, length);
    if (typeof object === 'string') add(Buffer.from(`${number} 0 obj\n${object}\nendobj\n`));
    else {
      add(Buffer.from(`${number} 0 obj\n<< ${object.dictionary} /Length ${object.stream.length} >>\nstream\n`));
      add(object.stream);
      add(Buffer.from('\nendstream\nendobj\n'));
    }
  }
  const start = length;
  const rows = [...offsets].map(([number, offset]) => `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`);
  const size = Math.max(...offsets.keys()) + 1;
  add(Buffer.from(`xref\n0 1\n0000000000 65535 f \n${rows.join('')}`));
  add(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}
