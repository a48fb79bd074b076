/** What a target leads to. */
export interface Place {
  /** The URL; `//host` counts as a web address. */
  readonly url: URL;
  /** As in DNS, without a final dot: a web address has one, and so does `mailto:`. */
  readonly host: string | null;
  /** With ":". */
  readonly scheme: string;
}

/** Null for a target that is not a full address. */
export function placeOf(target: string): Place | null {
  const url = URL.parse(/^[/\\]{2}/.test(target) ? `https:${target}` : target);
  if (url === null) return null;
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  const address = /^mailto:[^@?]{0,300}@([^?,;]{1,300})/i.exec(target.slice(0, 700))?.[1];
  const host = isWeb ? url.hostname : address === undefined ? null : hostNamed(address);
  return { url, scheme: url.protocol, host: host === null || host === '' ? null : host.replace(/\.$/, '') };
}

/** The host name as in DNS; null if it is none. */
function hostNamed(name: string): string | null {
  const url = /[/?#@:\\\s]/.test(name) ? null : URL.parse(`https://${name}/`);
  return url === null || url.hostname === '' ? null : url.hostname.replace(/\.$/, '');
}

/** The host of a mailbox such as `Ada <ada@acme.example>`. */
export function hostOfMailbox(mailbox: string): string | null {
  const at = mailbox.lastIndexOf('@');
  return at < 0 ? null : hostNamed((mailbox.slice(at + 1).split('>')[0] ?? '').trim());
}

/** Files that a text names more often than a host. None of them is a top-level domain. */
const FILE_ENDINGS = new Set(
  'pdf doc docx xls xlsx ppt pptx odt ods csv txt rtf jpg jpeg png gif svg webp html htm xml json js ts css log ics eml yaml yml exe'.split(
    ' ',
  ),
);
/** Excludes version numbers such as 1.2.3. */
const TOP_LEVEL = /^(?:\p{L}{2,24}|xn--[a-z0-9-]{1,59})$/u;
/** The longest text that is searched, so that leading text cannot hide a name. */
const READ_CHARACTERS = 10_000;

/** Every host that a text names, as in `acme.example`, `https://acme.example/pay` or `ada@acme.example`, in order. */
export function* hostsNamedIn(text: string): Generator<NamedHost> {
  const plain = text
    .slice(0, READ_CHARACTERS)
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC');
  for (const chunk of plain
    .toLowerCase()
    .replaceAll('。', '.')
    .split(/[\s,;()<>[\]{}"'“”‘’«»|!*\\]/)) {
    const scheme = chunk.indexOf('://');
    // Only the first part that is a host counts: `login.php` in the path of a URL is none.
    for (const part of chunk.slice(scheme < 0 ? 0 : scheme + 3).split(/[/?#]/)) {
      const found = namesIn(scheme < 0 ? part.slice(part.lastIndexOf('@') + 1) : part);
      yield* found;
      if (found.length > 0) break;
    }
  }
}

export interface NamedHost {
  /** As the text has it. */
  readonly named: string;
  readonly host: string;
}

function namesIn(part: string): readonly NamedHost[] {
  return part.split(/[^\p{L}\p{M}\p{N}.-]/u).flatMap((word) => {
    const named = word.replace(/^[.-]{0,10}/, '').replace(/[.-]{1,10}$/, '');
    const labels = named.split('.');
    if (labels.length < 2 || !labels.every(isLabel) || !TOP_LEVEL.test(labels.at(-1) ?? '')) return [];
    const host = FILE_ENDINGS.has(labels.at(-1) ?? '') ? null : hostNamed(named);
    return host === null ? [] : [{ named, host }];
  });
}

function isLabel(label: string): boolean {
  return label !== '' && label.length <= 63;
}

/** The host without `www.`. */
export function bareHost(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

/** Whether a host is another one or below it. */
export function isWithin(host: string, other: string): boolean {
  return host === other || host.endsWith(`.${other}`);
}
