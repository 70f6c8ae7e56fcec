import { smoke } from './smoke.mjs'

void smoke().then((answers) => console.log(JSON.stringify(answers)))
