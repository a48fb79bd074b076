import { APPS_EXTENSION, type Declared, declaresApps } from '@postrider/mcp';

/** In the order in which ids name them: new versions are added at the end. */
const VERSIONS = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

type Capabilities = Declared['capabilities'];

/** The capabilities that the server uses, in the order of their bits: new ones are added at the end. */
const CAPABILITIES: readonly {
  readonly isIn: (capabilities: Capabilities) => boolean;
  readonly add: (capabilities: Capabilities) => Capabilities;
}[] = [
  {
    // Without a mode, forms are meant.
    isIn: ({ elicitation }) =>
      elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    add: (given) => ({ ...given, elicitation: { form: {} } }),
  },
  {
    isIn: ({ elicitation }) => elicitation?.url !== undefined,
    add: ({ elicitation, ...given }) => ({
      ...given,
      elicitation: elicitation === undefined ? { url: {} } : { form: {}, url: {} },
    }),
  },
  { isIn: ({ sampling }) => sampling !== undefined, add: (given) => ({ ...given, sampling: {} }) },
  { isIn: ({ roots }) => roots !== undefined, add: (given) => ({ ...given, roots: {} }) },
  { isIn: declaresApps, add: (given) => ({ ...given, extensions: APPS_EXTENSION }) },
];

/** What the id of a session contains about its client. */
export function packDeclared({ protocolVersion, capabilities }: Declared): {
  readonly version: number;
  readonly capabilities: number;
} {
  const at = VERSIONS.indexOf(protocolVersion);
  const bits = CAPABILITIES.map(({ isIn }, bit) => (isIn(capabilities) ? 2 ** bit : 0));
  return {
    version: at === -1 ? VERSIONS.length - 1 : at,
    capabilities: bits.reduce((sum, bit) => sum + bit, 0),
  };
}

export function unpackDeclared({
  version,
  capabilities,
}: {
  readonly version: number;
  readonly capabilities: number;
}): Declared {
  const has = (bit: number) => Math.floor(capabilities / 2 ** bit) % 2 === 1;
  const declared = CAPABILITIES.reduce<Capabilities>((sum, { add }, bit) => (has(bit) ? add(sum) : sum), {});
  return { protocolVersion: VERSIONS[version] ?? '', capabilities: declared };
}
