// Generates the parsers from the grammars. Their output is committed, so that `npm test` needs no generation step;
// `--check` fails when it is not current.
import { readFileSync, writeFileSync } from 'node:fs'
import peggy from 'peggy'

/** The rules that a caller may begin with, the usual one first. */
const startRules = { filter: undefined, hcl: ['Document', 'Part'] }

/** Parsers of many short texts. */
const isFrequent = new Set(['filter'])

for (const [name, allowedStartRules] of Object.entries(startRules)) {
  const grammar = readFileSync(`grammar/${name}.peggy`, 'utf8')
  const target = `src/${name}/generated/${name}-parser.js`
  const source = peggy.generate(grammar, { output: 'source', format: 'es', allowedStartRules })
  const parser = isFrequent.has(name) ? madeOnce(source) : source
  if (!process.argv.includes('--check')) writeFileSync(target, parser)
  else if (readFileSync(target, 'utf8') !== parser) {
    console.error(`${target} is not current; run \`npm run gen\` and commit the result.`)
    process.exitCode = 1
  }
}

/**
 * Peggy's `peg$parse` creates its functions, some 200, at each call, and a string for each keyword that it looks for: half
 * the time of compiling a filter. Here the functions stand beside `peg$parse`, which sets the variables they share. Peggy's
 * texts of errors, which take a kilobyte, its lines and columns, what it found and the characters of classes go:
 * `explainSyntax` writes others, from offsets.
 */
function madeOnce(source) {
  const parts =
    /^(.*?)function peg\$parse\(input, options\) \{\n {2}options = [^\n]*\n(.*?)( {2}peg\$result = peg\$startRuleFunction\(\);\n.*)$/s.exec(
      source,
    )
  if (parts === null) throw new Error('Peggy writes its parsers in another way than madeOnce() expects')
  const [, before, declarations, run] = parts
  const variables = []
  const shared = declarations
    .replace(/^ {2}if \(options\.startRule\) \{\n.*?\n {2}\}\n/ms, '')
    .replace(/^ {2}const (peg\$source|peg\$posDetailsCache) /gm, '  let $1 ')
    .replace(/^ {2}let (\w[\w$]*) = (.*?);?$/gm, (_, name, value) => {
      variables.push(`  ${name} = ${value};\n`)
      return `  let ${name};`
    })
    .replaceAll(/input\.substr\(peg\$currPos, \d+\) === (peg\$c\d+)/g, (_, constant) => {
      const [, first] = new RegExp(`const ${constant.replace('$', '\\$')} = "(.)`).exec(declarations)
      // Most keywords stand in few places: their first character is compared here.
      return `input.charCodeAt(peg$currPos) === ${first.charCodeAt(0)} && input.startsWith(${constant}, peg$currPos)`
    })
  const set = `  input = text;\n  options = settings;\n${variables.join('')}`
  const withoutTexts = before
    .replace('(message, expected, found, location)', '(message, expected, location)')
    .replace(/^ *this\.found = found;\n/m, '')
    .replace(/\n {2}format\(sources\) \{\n.*?\n {2}\}\n/s, '')
    .replace(/\n {2}static buildMessage\(.*?\n {2}\}\n/s, '')
  const withOffsets = shared
    .replace('peg$SyntaxError.buildMessage(expected, found)', '""')
    .replace(/peg\$classExpectation\(\[.*\], \w+, \w+, \w+\);$/gm, 'peg$anyExpectation();')
    .replace(/(peg\$literalExpectation\(".*"), false\);$/gm, '$1);')
    .replace(
      '(text, ignoreCase) {\n    return { type: "literal", text, ignoreCase };',
      '(text) {\n    return { type: "literal", text };',
    )
    .replace(/^ {2}function peg\$(?:classExpectation|getUnicode)\(.*?^ {2}\}\n/gms, '')
    .replace(/^ {2}function range\(\) \{\n.*?^ {2}\}\n/ms, '')
    .replace(/^ {2}let peg\$(?:posDetailsCache|source|startRuleFunction);\n/gm, '')
    .replace(/^ {2}const peg\$startRuleFunctions = .*?;\n/ms, '')
    .replace(
      'peg$buildStructuredError(expected, found, location)',
      'peg$buildStructuredError(expected, location)',
    )
    .replace(/^ *found,\n/m, '')
    .replace(
      /(function error\(message), location\) \{\n {4}location = .*?;\n\n/s,
      '$1) {\n    const location = peg$computeLocation(peg$savedPos, peg$currPos);\n',
    )
    .replace(/^ *input\.substring\(peg\$savedPos, peg\$currPos\),\n/m, '')
    .replace('(message, null, null, location)', '(message, null, location)')
    .replace(/^ {2}function peg\$computePosDetails\(.*?^ {2}\}\n/ms, '')
    .replace(
      /^ {2}function peg\$computeLocation\(.*?^ {2}\}\n/ms,
      '  const peg$computeLocation = (start, end) => ({ start: { offset: start }, end: { offset: end } });\n',
    )
  // The whole text is read from its start, by the one rule that a text has.
  const unset = set
    .replace(/^ {2}peg\$(?:posDetailsCache|source|startRuleFunction) = .*\n/gm, '')
    .replace('options.peg$currPos | 0', '0')
    .replace('options.peg$maxFailExpected || []', '[]')
  const unfound = run
    .replace('peg$startRuleFunction()', 'peg$parseExpression()')
    .replace(/^ *peg\$FAILED,\n *peg\$maxFailExpected,\n/m, '')
    .replace(
      /peg\$maxFailPos < input\.length\n *\? (peg\$computeLocation\(peg\$maxFailPos, peg\$maxFailPos) \+ 1\)\n.*\n/,
      '$1 + (peg$maxFailPos < input.length))\n',
    )
    .replace(/^ *peg\$maxFailPos < input\.length \? peg\$getUnicode\(peg\$maxFailPos\) : null,\n/m, '')
  const parser = `${withoutTexts}let input, options;\n${withOffsets}function peg$parse(text, settings) {\n${unset}${unfound}`
  if (
    /buildMessage|format\(|peg\$(?:computePosDetails|posDetailsCache|getUnicode|classExpectation|source|startRule)/.test(
      parser,
    )
  ) {
    throw new Error('Peggy describes errors in another way than madeOnce() expects')
  }
  return parser
}
