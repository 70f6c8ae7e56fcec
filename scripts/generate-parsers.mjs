// Generates the parsers from the grammars. Their output is committed, so that `npm test` needs no generation step;
// `--check` fails when it is not current.
import { readFileSync, writeFileSync } from 'node:fs'
import peggy from 'peggy'

/** The rules that a caller may begin with, the usual one first. */
const startRules = { filter: undefined, hcl: ['Document', 'Part'] }

for (const [name, allowedStartRules] of Object.entries(startRules)) {
  const grammar = readFileSync(`grammar/${name}.peggy`, 'utf8')
  const target = `src/${name}/generated/${name}-parser.js`
  const parser = peggy.generate(grammar, { output: 'source', format: 'es', allowedStartRules })
  if (!process.argv.includes('--check')) writeFileSync(target, parser)
  else if (readFileSync(target, 'utf8') !== parser) {
    console.error(`${target} is not current; run \`npm run gen\` and commit the result.`)
    process.exitCode = 1
  }
}
