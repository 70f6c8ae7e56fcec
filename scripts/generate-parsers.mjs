// Generates the parsers from the grammars. Their output is committed, so that `npm test` needs no generation step;
// `--check` fails when it is not current.
import { readFileSync, writeFileSync } from 'node:fs'
import peggy from 'peggy'

for (const name of ['filter', 'hcl']) {
  const grammar = readFileSync(`grammar/${name}.peggy`, 'utf8')
  const target = `src/${name}/generated/${name}-parser.js`
  const parser = peggy.generate(grammar, { output: 'source', format: 'es' })
  if (!process.argv.includes('--check')) writeFileSync(target, parser)
  else if (readFileSync(target, 'utf8') !== parser) {
    console.error(`${target} is not current; run \`npm run gen\` and commit the result.`)
    process.exitCode = 1
  }
}
