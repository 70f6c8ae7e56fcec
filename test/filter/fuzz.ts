// Many random expressions on many random data: closures, generated code, the compilers of chosen parts and the plain
// walk must agree on all.
//   npm run bench -- test/filter/fuzz.ts --pairs 1000000 --seed 1
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import {
  type CompileOptions,
  compile,
  FilterError,
  fastClosures,
  fastPatterns,
  filterCompiler,
  format,
  generatedCode,
  linearPatterns,
  parse,
} from '../../src/filter/index.ts'
import { compileRegex } from '../../src/filter/regex/index.ts'
import { datum, expression } from './arbitraries.ts'
import { evaluate, Refused } from './reference.ts'

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
})
const wanted = Number(values.pairs)
const seed = Number(values.seed)
const perExpression = 20

function outcome(run: () => boolean): boolean | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof FilterError || error instanceof Refused) return error.kind
    throw error
  }
}

const closures = { evaluator: 'closures' } as const
const codegen = { evaluator: 'codegen' } as const
const compilers: Record<string, readonly [typeof compile, CompileOptions<unknown>]> = {
  closures: [compile, closures],
  codegen: [compile, codegen],
  linearPatterns: [filterCompiler(linearPatterns), closures],
  'linearPatterns, fastPatterns': [filterCompiler(linearPatterns, fastPatterns), closures],
  'linearPatterns, fastClosures': [filterCompiler(linearPatterns, fastClosures), closures],
  'linearPatterns, fastPatterns, fastClosures, generatedCode': [
    filterCompiler(linearPatterns, fastPatterns, fastClosures, generatedCode),
    codegen,
  ],
}

const data = fc.sample(datum, { numRuns: 5000, seed })
const seen = new Map<boolean | string, number>()
let pairs = 0
let disagreements = 0
for (let round = 0; pairs < wanted; round += 1) {
  const standard = round % 2 === 0
  const dialect = standard ? 'standard' : 'bexpr'
  const limits = { matches: Infinity }
  for (const tree of fc.sample(expression(standard), { numRuns: 500, seed: seed + round })) {
    const source = format(tree)
    const ast = parse(source, { dialect, limits })
    const filters = Object.entries(compilers).map(
      ([name, [compileIt, options]]) => [name, compileIt(ast, { dialect, ...options })] as const,
    )
    for (let at = 0; at < perExpression; at += 1) {
      const one = data[(pairs * 7919 + round) % data.length]
      const right = outcome(() => evaluate(ast, one, { standard, compileRegex }))
      for (const [name, filter] of filters) {
        const answer = outcome(() => filter.test(one))
        if (answer === right) continue
        disagreements += 1
        console.log({ name, dialect, source, datum: one, right, answer })
      }
      seen.set(right, (seen.get(right) ?? 0) + 1)
      pairs += 1
    }
  }
}
console.log(`${pairs} pairs, ${disagreements} disagreements; answers:`, Object.fromEntries(seen))
process.exitCode = disagreements === 0 ? 0 : 1
