import { smoke } from './smoke.mjs'

export default { test: async () => console.log(JSON.stringify(await smoke())) }
