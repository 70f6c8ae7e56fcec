import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { foldName } from '../../search/index.ts'

export { foldName }

const grammar = /^[0-9A-Za-z][0-9A-Za-z._-]*$/
const rule = 'use letters, digits, dots, dashes and underscores, with a letter or digit first'

/** User names that would hide an endpoint. */
const reservedUsernames: ReadonlySet<string> = new Set(['api'])

/**
 * Returns why a box cannot have a name: it takes 1 to 128 letters, digits, dots, dashes and underscores, a letter or
 * digit first.
 *
 * @returns `undefined` if it is valid
 *
 * @example
 * ```ts
 * import { boxNameProblem } from 'plinth/catalog'
 *
 * boxNameProblem('ubuntu-22.04') // undefined
 * boxNameProblem('../etc')?.refusal.code // 'invalid_name'
 * ```
 */
export function boxNameProblem(name: string): Refused<'invalid_name'> | undefined {
  checkArguments('name', name)
  if (name === '') return refuse('invalid_name', "Name can't be blank")
  if (name.length > 128) return refuse('invalid_name', 'Name is too long (maximum is 128 characters)')
  if (!grammar.test(name)) return refuse('invalid_name', `Name ${JSON.stringify(name)} is invalid: ${rule}`)
  return undefined
}

/**
 * Returns why a user or an organization cannot have a name: it follows the rules for boxes, has at most 64 characters,
 * and is not `api`.
 *
 * @returns `undefined` if it is valid
 *
 * @example
 * ```ts
 * import { usernameProblem } from 'plinth/catalog'
 *
 * usernameProblem('alice') // undefined
 * usernameProblem('api')?.refusal.message // 'Username "api" is reserved'
 * ```
 */
export function usernameProblem(username: string): Refused<'invalid_username'> | undefined {
  checkArguments('username', username)
  if (username === '') return refuse('invalid_username', "Username can't be blank")
  if (username.length > 64)
    return refuse('invalid_username', 'Username is too long (maximum is 64 characters)')
  if (!grammar.test(username))
    return refuse('invalid_username', `Username ${JSON.stringify(username)} is invalid: ${rule}`)
  if (reservedUsernames.has(foldName(username)))
    return refuse('invalid_username', `Username "${username}" is reserved`)
  return undefined
}
