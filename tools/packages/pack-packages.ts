import { join } from 'node:path';
import { ROOT } from '../run-program.ts';
import { listPackages } from './package-list.ts';
import { runNpm } from './run-npm.ts';
import { type StagedPackage, stagePackage } from './stage-package.ts';

/** npm's report about a package that it packed. */
export interface PackedPackage extends StagedPackage {
  /** Absolute. */
  readonly tarball: string;
  readonly tarballBytes: number;
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
}

/** Packs every built package of the repository as a tarball in `place`. */
export async function packPackages(place: string): Promise<readonly PackedPackage[]> {
  const packed: PackedPackage[] = [];
  for (const one of listPackages(ROOT)) {
    const staged = await stagePackage(one, join(place, 'staged'));
    const run = runNpm(['pack', '--json', '--ignore-scripts', '--pack-destination', place], staged.folder);
    if (!run.ok) throw new Error(`${staged.manifest.name}: ${run.output}`);
    packed.push({ ...staged, ...readReport(run.stdout, place) });
  }
  return packed;
}

interface PackReport {
  readonly filename: string;
  readonly size: number;
  readonly files: PackedPackage['files'];
}

/** npm reports a list; later versions report an object by name. */
function readReport(json: string, place: string): Pick<PackedPackage, 'tarball' | 'tarballBytes' | 'files'> {
  const [report] = Object.values(JSON.parse(json) as Record<string, PackReport>); // npm's own output.
  if (report === undefined) throw new Error(`npm packed nothing: ${json}`);
  return { tarball: join(place, report.filename), tarballBytes: report.size, files: report.files };
}
