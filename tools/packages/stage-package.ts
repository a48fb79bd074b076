import { copyFile, cp, mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Manifest, WorkspacePackage } from './package-list.ts';

/** A package as users install it. */
export interface StagedPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Copies a built package to `modules` (a `node_modules` folder) as pnpm would pack it: with the `publishConfig` fields, exact versions, and
 * only the published files. So the checks test what users get.
 */
export async function stagePackage({ folder, manifest }: WorkspacePackage, modules: string): Promise<StagedPackage> {
  const staged = join(modules, manifest.name);
  await rm(staged, { recursive: true, force: true });
  await mkdir(staged, { recursive: true });
  const published = await toPublishedManifest(folder, manifest);
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  // npm packs these two regardless of `files`.
  const documents = (await readdir(folder)).filter((name) => /^(readme|licen[cs]e)(\.|$)/i.test(name));
  for (const name of [...manifest.files, ...documents])
    await cp(join(folder, name), join(staged, name), { recursive: true });
  // pnpm packs the repository's license with every package that has none.
  if (!documents.some((name) => /^licen/i.test(name))) {
    await copyFile(join(folder, '../../LICENSE'), join(staged, 'LICENSE'));
  }
  await linkDependencies(folder, staged, manifest);
  return { folder: staged, manifest: published };
}

async function toPublishedManifest(folder: string, manifest: Manifest): Promise<Manifest> {
  // The only script is prepack, which pnpm removes.
  const { publishConfig, devDependencies: _, scripts: __, ...fields } = manifest;
  const { access, ...overrides } = publishConfig;
  return {
    ...fields,
    ...overrides,
    publishConfig: { access },
    ...(manifest.dependencies && { dependencies: await toExactVersions(folder, manifest.dependencies) }),
  };
}

/** Replaces `workspace:*` and `catalog:` by the installed versions, as pnpm does. */
async function toExactVersions(folder: string, dependencies: Readonly<Record<string, string>>) {
  const versions = Object.keys(dependencies).map(async (name) => {
    const manifest = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    return [name, String(manifest.version)] as const;
  });
  return Object.fromEntries(await Promise.all(versions));
}

/** Our own packages are beside the staged one; the others are linked from the installation. */
async function linkDependencies(folder: string, staged: string, manifest: Manifest): Promise<void> {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  for (const name of names.filter((dependency) => !dependency.startsWith('@postrider/'))) {
    const target = await realpath(join(folder, 'node_modules', name)).catch(() => null);
    if (target === null) continue; // An optional dependency of another platform.
    const link = join(staged, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
  }
}
