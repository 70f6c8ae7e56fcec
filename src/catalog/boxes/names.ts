import { type Refused, refuse } from '../../kernel/index.ts'
import { foldName } from '../../search/index.ts'

export { foldName }

const grammar = /^[0-9A-Za-z][0-9A-Za-z._-]*$/
const rule = 'use letters, digits, dots, dashes and underscores, with a letter or digit first'

/** User names that would hide an endpoint. */
const reservedUsernames: ReadonlySet<string> = new Set(['api'])

/**
 * Checks the name of a box: 1 to 128 letters, digits, dots, dashes and underscores, a letter or digit first.
 *
 * @example
 * ```ts
 * import { checkBoxName } from 'plinth/catalog'
 *
 * checkBoxName('ubuntu-22.04') // undefined
 * checkBoxName('../etc')?.refusal.code // 'invalid_name'
 * ```
 *
 * @public
 */
export function checkBoxName(name: string): Refused<'invalid_name'> | undefined {
  if (name === '') return refuse('invalid_name', "Name can't be blank")
  if (name.length > 128) return refuse('invalid_name', 'Name is too long (maximum is 128 characters)')
  if (!grammar.test(name)) return refuse('invalid_name', `Name ${JSON.stringify(name)} is invalid: ${rule}`)
  return undefined
}

/**
 * Checks the name of a user or an organization: as a box's name, up to 64 characters, and not `api`.
 *
 * @example
 * ```ts
 * import { checkUsername } from 'plinth/catalog'
 *
 * checkUsername('alice') // undefined
 * checkUsername('api')?.refusal.message // 'Username "api" is reserved'
 * ```
 *
 * @public
 */
export function checkUsername(username: string): Refused<'invalid_username'> | undefined {
  if (username === '') return refuse('invalid_username', "Username can't be blank")
  if (username.length > 64)
    return refuse('invalid_username', 'Username is too long (maximum is 64 characters)')
  if (!grammar.test(username))
    return refuse('invalid_username', `Username ${JSON.stringify(username)} is invalid: ${rule}`)
  if (reservedUsernames.has(foldName(username)))
    return refuse('invalid_username', `Username "${username}" is reserved`)
  return undefined
}
