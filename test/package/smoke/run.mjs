import { smoke } from './smoke.mjs'

console.log(JSON.stringify(await smoke()))
