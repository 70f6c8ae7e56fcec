import { succeeded } from '../../client/connection.ts'
import { secretsEnvironment } from '../../client/flags.ts'
import { mustBeVersioned, openSecret } from '../../client/place.ts'
import { print } from '../../client/print.ts'
import { command } from '../../command/declaration.ts'
import { UserError } from '../../user-error.ts'
import { kvFlags, secretWord } from './flags.ts'

export const versionsFlag = {
  type: 'string',
  value: 'N,N',
  about: 'version numbers, such as 1,2',
} as const

/** The numbers of a list such as `1,2`. */
export function versionsOf(list: string): readonly number[] {
  const numbers = list.split(',').map((part) => (/^\s*[1-9]\d*\s*$/.test(part) ? Number(part) : Number.NaN))
  if (numbers.some(Number.isNaN))
    throw new UserError(`-versions takes version numbers, such as 1,2, not "${list}"`, 2)
  return numbers
}

/** The commands that change some versions of a secret by their numbers. */
const changeVersions = (verb: 'undelete' | 'destroy', about: string, done: string) =>
  command({
    about,
    flags: { versions: { ...versionsFlag, required: true }, ...kvFlags },
    words: [secretWord],
    examples: [{ run: `plinth kv ${verb} -versions=1 secret/old`, about: `${verb} the first version` }],
    environment: secretsEnvironment,
    run: async ({ flags, words: [word] }) => {
      const versions = versionsOf(flags.versions)
      const { connection, place } = await openSecret(flags, word)
      mustBeVersioned(place, '-versions')
      const answer = await connection.call('PUT', `${place.mount}${verb}/${place.rest}`, {
        body: { versions },
      })
      print(flags.format, succeeded(answer, `${verb} ${place.path}`), {
        done: `${done} version ${versions.join(', ')} of ${place.path}`,
      })
    },
  })

export const kvUndelete = changeVersions('undelete', 'bring deleted versions of a secret back', 'undeleted')
export const kvDestroy = changeVersions('destroy', 'remove versions of a secret for good', 'destroyed')
