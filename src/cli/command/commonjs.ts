import { createRequire } from 'node:module'

/** In a bundle of ES modules, CommonJS packages find the modules of Node only by a global `require`: makes one. */
export const allowCommonJs = (): void =>
  void Object.assign(globalThis, { require: createRequire(import.meta.url) })
