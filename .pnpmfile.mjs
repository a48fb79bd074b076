import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const hooks = {
  /** openapi-typescript drives the TypeScript 5 compiler API, which TypeScript 7 no longer has: it gets its own copy. */
  readPackage(manifest) {
    if (manifest.name === 'openapi-typescript') {
      manifest.dependencies = { ...manifest.dependencies, typescript: '5.9.3' };
      delete manifest.peerDependencies?.typescript;
    }
    return manifest;
  },

  /**
   * pnpm compares `engines` with the first Node on the PATH. Once node-for-old-machines is installed, that is the Node it brings along, which is
   * too new for it, so that every second install removed it again. This sets the version of the machine's own Node instead.
   */
  updateConfig(config) {
    const [first, ...others] = nodesOnPath();
    const own = first?.isInstalledHere && others.find(({ isInstalledHere }) => !isInstalledHere);
    const nodeVersion = own ? versionOf(own.program) : null;
    return nodeVersion === null ? config : { ...config, nodeVersion };
  },
};

/** All programs named `node`, and whether pnpm installed them as a dependency of this or another project. */
function nodesOnPath() {
  return (process.env.PATH ?? '').split(delimiter).flatMap((folder) => {
    const program = join(folder, 'node');
    try {
      return [{ program, isInstalledHere: /[\\/]node_modules[\\/]\.pnpm[\\/]/.test(realpathSync(program)) }];
    } catch {
      return [];
    }
  });
}

function versionOf(program) {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().replace(/^v/, '') : null;
}
