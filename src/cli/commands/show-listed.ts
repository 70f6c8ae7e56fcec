import type { Fields } from '../box/catalog-client.ts'
import { formatFlag } from '../client/flags.ts'
import { printObject } from '../client/print.ts'
import { command, type Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'
import type { Administered } from './administered.ts'

/** Objects of a catalog or a registry, which lists them with all their fields. */
interface Listed extends Pick<Administered, 'to' | 'environment'> {
  /** The command of the group, such as `box user`. */
  readonly group: string
  /** One of them, without its article. */
  readonly one: string
  readonly word: Pick<Word, 'name' | 'about'>
  /** The field of an object that the word names. */
  readonly key: string
  readonly list: (to: string | undefined) => Promise<readonly Fields[]>
  /** The object that the example shows. */
  readonly sample: string
}

/** `show` of one object of a list. */
export const showListed = ({ group, one, word, key, to, environment, list, sample }: Listed) =>
  command({
    about: `show ${/^[aeio]/.test(one) ? 'an' : 'a'} ${one}`,
    flags: { to, ...formatFlag },
    words: [word],
    examples: [{ run: `plinth ${group} show ${sample}`, about: 'its fields' }],
    environment,
    run: async ({ flags, words: [given] }) => {
      const found = (await list(flags.to)).find((each) => each[key] === given)
      if (found === undefined)
        throw new UserError(`there is no ${one} ${given}: plinth ${group} list shows them`)
      printObject(flags.format, found)
    },
  })
