import { nearest } from '../kernel/nearest.ts'
import { UserError } from './user-error.ts'

/** What a quota has, and the unit of its numbers. */
type QuotaName = 'bytes' | 'boxes' | 'modules' | 'versions' | 'keep-versions'

const units: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 }

/** Reads `100GiB`, `20GB` or a number. */
export function amount(text: string, isBytes: boolean): number | undefined {
  const [, digits = '', unit = '', binary] = /^(\d+)(?:([kmgt])(i)?b?)?$/i.exec(text) ?? []
  if (digits === '' || (unit !== '' && !isBytes)) return undefined
  const value = Number(digits) * (binary ? 1024 : 1000) ** (units[unit.toLowerCase()] ?? 0)
  return Number.isSafeInteger(value) ? value : undefined
}

/**
 * Reads amounts such as `bytes=100GiB` and `keep-versions=20`; null for `none`.
 *
 * @param flag - the flag, for errors
 */
export function quotaAmounts(
  flag: string,
  texts: readonly string[],
  names: readonly QuotaName[],
): Readonly<Partial<Record<QuotaName, number | null>>> {
  const all: Partial<Record<QuotaName, number | null>> = {}
  for (const text of texts) {
    const [said = '', value = '', ...rest] = text.split('=')
    const name = names.find((known) => known === said)
    if (name === undefined || rest.length > 0) {
      const meant = nearest(said, names)
      throw new UserError(
        `${flag} takes WHAT=N with WHAT one of ${names.join(', ')}, not "${text}"${meant === undefined ? '' : `; did you mean ${meant}?`}`,
        2,
      )
    }
    const most = value === 'none' ? null : amount(value, name === 'bytes')
    if (most === undefined || (most === 0 && name === 'keep-versions'))
      throw new UserError(
        `${flag} ${name}= takes ${name === 'bytes' ? 'a size such as 100GiB' : 'a whole number'}, not "${value}"`,
        2,
      )
    all[name] = most
  }
  return all
}
