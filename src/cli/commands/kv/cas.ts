import { UserError } from '../../user-error.ts'

export const casFlag = {
  type: 'string',
  value: 'N',
  about: 'write only if this is the current version; 0 for a new secret',
} as const

/** The options of a write that requires a certain current version. */
export function casOf(cas: string | undefined): { readonly cas: number } | undefined {
  if (cas === undefined) return undefined
  if (!/^\d+$/.test(cas)) throw new UserError(`-cas takes the number of a version, not "${cas}"`, 2)
  return { cas: Number(cas) }
}
