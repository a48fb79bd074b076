import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';

/** The parts of the tree that the compiler reads. Packages find each other by the relative links in their `node_modules`. */
export async function copyTree(root: string, copy: string): Promise<void> {
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  await cp(path.join(root, 'tsconfig.base.json'), path.join(copy, 'tsconfig.base.json'));
  await cp(path.join(root, 'package.json'), path.join(copy, 'package.json'));
  for (const name of await readdir(path.join(root, 'packages'))) {
    const from = path.join(root, 'packages', name);
    const to = path.join(copy, 'packages', name);
    await mkdir(to, { recursive: true });
    for (const part of ['src', 'package.json', 'tsconfig.json', 'node_modules']) {
      await cp(path.join(from, part), path.join(to, part), { recursive: true, verbatimSymlinks: true });
    }
  }
}
