/**
 * Compares the engine with re2js on random pairs of a pattern and a text:
 * `node --import ./scripts/ts-loader.mjs test/filter/regex/fuzz.ts --pairs 1000000 --seed 1`
 */
import { parseArgs } from 'node:util'
import { comparePairs } from './pairs.ts'

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
})
const { disagreements, patterns, refused, found } = comparePairs(Number(values.pairs), Number(values.seed))
for (const each of disagreements.slice(0, 20)) console.log(JSON.stringify(each))
console.log(
  `${values.pairs} pairs of ${patterns} patterns, ${refused} of them refused, ${found} pairs found, ${disagreements.length} disagreements`,
)
process.exitCode = disagreements.length === 0 ? 0 : 1
