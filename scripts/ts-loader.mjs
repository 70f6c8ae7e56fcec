// Lets plain `node` run this repository's TypeScript (Node 20 cannot): node --import ./scripts/ts-loader.mjs file.ts
import { register } from 'node:module'

register('./ts-hooks.mjs', import.meta.url)
