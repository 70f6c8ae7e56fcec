import { readHcl } from '../../hcl/index.ts'
import { type Constant, deepest, positionAt } from '../../hcl/structure/index.ts'
import { isObject, ownValue } from '../../kernel/objects.ts'
import type { ConfigBlock, ConfigBody, ConfigFile, ConfigValue } from './source.ts'

/** Longer invalid texts are not parsed again to find the position. */
const longestDiagnosed = 128 * 1024

/** Reads a `.tf.json` file. */
export function readJsonFile(text: string): ConfigFile {
  const tooDeep = tooDeepAt(text)
  if (tooDeep !== undefined) {
    const { line, column } = positionAt(text, tooDeep)
    return { body: bodyOf([]), problems: [`${line}:${column}: nested deeper than ${deepest} levels`] }
  }
  try {
    const parsed: Constant = JSON.parse(text.replace(/^\uFEFF/, ''))
    const parts: readonly Constant[] = Array.isArray(parsed) ? parsed : [parsed]
    const bodies = parts.filter((part) => isObject(part))
    if (bodies.length > 0) return { body: bodyOf(bodies), problems: [] }
    return { body: bodyOf([]), problems: ['1:1: expected an object'] }
  } catch {
    return { body: bodyOf([]), problems: [whyNot(text)] }
  }
}

/** The position at which a JSON text is nested too deep for the stack; JSON.parse takes far deeper texts. */
function tooDeepAt(text: string): number | undefined {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === '"') isInString = !isInString
    else if (isInString) at += sign === '\\' ? 1 : 0
    else if (sign === '[' || sign === '{') depth += 1
    else if (sign === ']' || sign === '}') depth -= 1
    if (depth > deepest) return at
  }
  return undefined
}

/** JavaScript engines report invalid JSON differently, often without a line: the package's own parser finds it. */
function whyNot(text: string): string {
  const read = text.length > longestDiagnosed ? undefined : readHcl(text)
  if (read === undefined || read.ok) return '1:1: not valid JSON'
  const { line, column } = read.refusal.detail ?? {}
  return `${line ?? 1}:${column ?? 1}: ${read.refusal.message.replace(/^line \d+, column \d+: /, '')}`
}

type Level = { readonly [name: string]: Constant }

/** Several objects in one place are equivalent to one with all of their fields. */
const bodyOf = (levels: readonly Level[]): ConfigBody => ({
  value: (name) => {
    const found = levels.findLast((level) => ownValue(level, name) !== undefined)
    return found && configValue(ownValue(found, name))
  },
  names: () => levels.flatMap((level) => Object.keys(level)).filter((name) => name !== '//'),
  blocks: (type, labels) => levels.flatMap((level) => unfold(ownValue(level, type), [], labels)),
})

/** Converts nested objects into labels until a block has all of its labels. */
function unfold(
  value: Constant | undefined,
  given: readonly string[],
  labels: number,
): readonly ConfigBlock[] {
  if (Array.isArray(value)) return value.flatMap((item: Constant) => unfold(item, given, labels))
  if (value === undefined || !isObject(value)) return []
  if (given.length === labels) return [{ labels: given, body: bodyOf([value]) }]
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '//' ? [] : unfold(inner, [...given, name], labels),
  )
}

function configValue(value: Constant | undefined): ConfigValue | undefined {
  if (value === undefined) return undefined
  return {
    text: typeof value === 'string' ? value : JSON.stringify(value),
    constant: value,
    entries: () =>
      isObject(value)
        ? new Map(
            Object.entries(value).flatMap(([name, inner]) => {
              const entry = configValue(inner)
              return entry ? [[name, entry] as const] : []
            }),
          )
        : undefined,
    where: '1:1',
  }
}
