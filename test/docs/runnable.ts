import { resolve } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }

/** `plinth/x` → the source behind that subpath. */
const sourceOf = (subpath: string): string => {
  const targets: Readonly<Record<string, unknown>> = packageJson.exports
  const target = targets[subpath === 'plinth' ? '.' : `./${subpath.slice('plinth/'.length)}`]
  if (typeof target !== 'object' || target === null || !('default' in target))
    throw new Error(`the package has no subpath ${subpath}`)
  return resolve(String(target.default).replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
}

const isExpression = (text: string): boolean => {
  try {
    new Function(`return (${text})`)
    return true
  } catch {
    return false
  }
}

const harness = `import { expect } from 'vitest'
const __check = async (actual: unknown, expected: unknown) => expect(await actual).toEqual(expected)
`

/**
 * Turns a program of the documentation into a module that checks itself: a line `expression // value` is an
 * assertion when what follows the slashes is itself an expression, and otherwise a remark.
 */
export const runnable = (code: string, surroundings: Surroundings = {}): string =>
  `${harness}${asserting(placed(code, surroundings))}\nexport const ran = typeof __check\n`

/** What stands in for the directories and the database that a program names. */
export interface Surroundings {
  readonly directory?: string
  readonly database?: string
}

const placed = (code: string, { directory, database }: Surroundings): string => {
  const moved = directory === undefined ? code : code.replace(/\/var\/(?:lib|backups)/g, `${directory}/$&`)
  return database === undefined ? moved : moved.replaceAll('postgres://localhost/plinth', database)
}

const asserting = (code: string): string =>
  code
    .replace(/from '(plinth(?:\/[\w/-]+)?)'/g, (_whole, subpath: string) => `from '${sourceOf(subpath)}'`)
    .split('\n')
    .map((line) => {
      const match = /^(\s*)(?!const |let |import |export |\/\/|[})\]])(\S.*?);?\s+\/\/ (.+)$/.exec(line)
      if (!match || !isExpression(match[3] ?? '') || !isExpression((match[2] ?? '').replace(/^await /, '')))
        return line
      return `${match[1]}await __check(${match[2]}, ${match[3]})`
    })
    .join('\n')
