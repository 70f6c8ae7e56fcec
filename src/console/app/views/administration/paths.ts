import { textOfValue } from '../../ui/form-fields.ts'
import type { Item, Kind } from './kind.ts'

/** A path with each of its segments escaped; a mount's last slash is left out. */
const escaped = (path: string): string => path.replace(/\/$/, '').split('/').map(encodeURIComponent).join('/')

/** The path of an object in the API. */
export const pathOf = (template: string, name: string, within: string): string =>
  template.replace('{id}', escaped(name)).replace('{within}', escaped(within))

export const nameOf = ({ id }: Kind, item: Item): string => textOfValue(item[id])

/** The rows in an answer: a list of them or of their names, or an object that holds them by name. */
export function itemsIn(body: unknown, rows: string | undefined): readonly Item[] {
  let found = body
  for (const part of rows?.split('.') ?? []) found = (found as Item | null | undefined)?.[part]
  if (Array.isArray(found)) return found.map((each) => (typeof each === 'string' ? { id: each } : each))
  return Object.entries((found ?? {}) as Readonly<Record<string, Item>>).map(([id, item]) => ({
    ...item,
    id,
  }))
}
