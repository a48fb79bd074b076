// openapi-typescript drives the TypeScript 5 compiler API, which TypeScript 7 no longer has: it gets its own copy.
export const hooks = {
  readPackage(manifest) {
    if (manifest.name === 'openapi-typescript') {
      manifest.dependencies = { ...manifest.dependencies, typescript: '5.9.3' };
      delete manifest.peerDependencies?.typescript;
    }
    return manifest;
  },
};
