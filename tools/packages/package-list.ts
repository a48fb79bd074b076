import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields of a package.json that building and publishing look at. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** What pnpm puts in place of the fields of the same name when it packs. */
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
  // The manifests are our own; what a field of one lacks, the checks that use it say.
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}
