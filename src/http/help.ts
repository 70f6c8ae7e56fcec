import { propertiesOf, templated } from './openapi.ts'
import { type JsonObject, sharedSchemas } from './openapi-schemas.ts'
import type { Route } from './route.ts'

/**
 * A plain-text list of the endpoints at or below a path: methods, path, summary, and the required right.
 *
 * @example
 * ```ts
 * import { helpText } from 'plinth/http'
 * import { createGateway } from 'plinth/gateway'
 *
 * const gateway = createGateway()
 * helpText(gateway.routes).includes('/health') // true
 * await gateway.close()
 * ```
 */
export function helpText<Context>(routes: readonly Route<Context>[], prefix = ''): string {
  const rows = routes.filter((entry) => entry.path.startsWith(prefix))
  const left = rows.map((entry) => `${entry.methods.join('|')} ${templated(entry.path)}`)
  const width = Math.min(64, Math.max(0, ...left.map((text) => text.length)))
  return rows
    .map((entry, index) => {
      const access = entry.access === undefined ? '' : ` (needs ${entry.access})`
      return `${(left[index] ?? '').padEnd(width)}  ${entry.summary}${access}`
    })
    .join('\n')
}

/** The parameters that routes take in their paths, queries and bodies: names, types and descriptions, sorted by name. */
export function parameterText<Context>(routes: readonly Route<Context>[]): string {
  const shared = sharedSchemas()
  const found = new Map<string, JsonObject>()
  for (const { path, params, query, accepts, body } of routes) {
    for (const [, name = ''] of path.matchAll(/[:*](\w+)/g)) found.set(name, { type: 'string' })
    for (const schema of [params, query, accepts ?? body])
      for (const [name, property] of schema ? propertiesOf(shared.describe(schema, 'input')) : [])
        found.set(name, property)
  }
  const shown = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return shown
    .map(([name, property]) => `    ${name} (${typeText(property)})${aboutText(property)}`)
    .join('\n')
}

const typeText = ({ type }: JsonObject): string => (type === undefined ? 'any' : [type].flat().join(' or '))

const aboutText = ({ description }: JsonObject): string =>
  typeof description === 'string' ? `\n        ${description}` : ''

/**
 * The endpoints of a route table as a Markdown table, for documentation.
 *
 * @example
 * ```ts
 * import { endpointTable } from 'plinth/http'
 * import { createGateway } from 'plinth/gateway'
 *
 * const gateway = createGateway()
 * endpointTable(gateway.routes).startsWith('| Method | Path | What it does | Needs |') // true
 * await gateway.close()
 * ```
 */
export function endpointTable<Context>(routes: readonly Route<Context>[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = routes.map(
    ({ methods, path, summary, access }) =>
      `| ${methods.join(', ')} | \`${cell(templated(path))}\` | ${cell(summary)} | ${cell(access ?? '')} |`,
  )
  return ['| Method | Path | What it does | Needs |', '|---|---|---|---|', ...rows].join('\n')
}
