import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The package.json fields that building and publishing use. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  /** Fields that replace those of the same name when pnpm packs. */
  readonly publishConfig: Partial<Pick<Manifest, 'bin' | 'exports'>> & Readonly<Record<string, unknown>>;
}

export interface WorkspacePackage {
  /** Absolute. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages of this repository. */
export function listPackages(root: string): readonly WorkspacePackage[] {
  const names = readdirSync(join(root, 'packages')).sort();
  return names.map((name) => ({ folder: join(root, 'packages', name), manifest: readManifest(root, name) }));
}

function readManifest(root: string, name: string): Manifest {
  // Our own manifests; the checks report missing fields.
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}
