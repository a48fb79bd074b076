import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';

/** The parts of a CycloneDX document that are checked here; the schema checks the rest. */
export interface Bom {
  readonly specVersion: string;
  readonly metadata: {
    readonly component: { readonly group?: string; readonly name: string; readonly version: string };
  };
  readonly components: readonly BomComponent[];
}

interface BomComponent {
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly licenses?: readonly unknown[];
  readonly externalReferences?: readonly { readonly type: string; readonly hashes?: readonly unknown[] }[];
}

/** Checks a document. Returns the problems. */
export type JudgeSbom = (bom: Bom) => readonly string[];

const VERSION = '1.6';

/** Workspace packages are components of each other. They are published from here, so no registry has a hash of them yet. */
const OWN_GROUP = '@postrider';

/** Validates documents with the CycloneDX 1.6 JSON schema, and requires a purl, a license and a hash of each component. */
export function createSbomJudge(): JudgeSbom {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  for (const name of ['spdx', 'jsf-0.82']) {
    // The name by which the main schema refers to it.
    ajv.addSchema(readSchema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  const validate = ajv.compile(readSchema('bom-1.6'));
  return (bom) => {
    if (!validate(bom)) return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    if (bom.specVersion !== VERSION) return [`it is of version ${bom.specVersion}, not ${VERSION}`];
    return bom.components.flatMap(faultsOf);
  };
}

function faultsOf(component: BomComponent): readonly string[] {
  const { group, name, version, purl, licenses = [], externalReferences = [] } = component;
  const called = `${group === undefined ? '' : `${group}/`}${name}@${version}`;
  const hasHash = externalReferences.some(({ type, hashes = [] }) => type === 'distribution' && hashes.length > 0);
  return [
    ...(purl === undefined ? [`${called} has no purl`] : []),
    ...(licenses.length === 0 ? [`${called} has no license`] : []),
    ...(hasHash || group === OWN_GROUP ? [] : [`${called} has no hash`]),
  ];
}

/** The schemas in the CycloneDX library. */
function readSchema(name: string): object {
  const library = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json');
  return JSON.parse(
    readFileSync(join(dirname(library), 'res/schema', `${name}.SNAPSHOT.schema.json`), 'utf8'),
  ) as object;
}
