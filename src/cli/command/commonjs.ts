import { createRequire } from 'node:module'

/** In a bundle of ES modules, CommonJS packages need a global `require` to load Node's modules. */
export const allowCommonJs = (): void =>
  void Object.assign(globalThis, { require: createRequire(import.meta.url) })
