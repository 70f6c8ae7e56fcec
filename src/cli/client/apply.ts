import type { Flags, Word } from '../command/declaration.ts'
import { jsonObject, sourceText } from './pairs.ts'
import type { Scheduler } from './scheduler.ts'
import { printed, schedulerCommand } from './scheduler-command.ts'

const fileWord = {
  name: 'FILE',
  about: 'its other fields in JSON, as the API takes them; - is standard input',
  optional: true,
} as const satisfies Word

const flags = {
  description: { type: 'string', value: 'TEXT', about: 'a description' },
} as const satisfies Flags

/** The command `apply` for an object with a name: creates it, or changes the given fields. */
export const applyCommand = ({
  group,
  one,
  listed,
  at,
}: {
  readonly group: string
  readonly one: string
  readonly listed: string
  readonly at: string
}) =>
  schedulerCommand({
    about: `create ${one}, or change the fields that are given`,
    flags,
    words: [{ name: 'NAME', about: 'its name' }, fileWord],
    examples: [
      { run: `plinth ${group} apply -description="on trial" trial`, about: `creates the ${group} trial` },
    ],
    run: async (scheduler, { flags, words: [name, file] }) => {
      const given =
        file === undefined ? {} : jsonObject(await sourceText(file), file === '-' ? 'standard input' : file)
      const { description = given['Description'] } = flags
      const body = {
        ...(await existing(scheduler, listed, name)),
        ...given,
        Name: name,
        ...(description === undefined ? {} : { Description: description }),
      }
      const answer = await scheduler.ask('PUT', at, `writing ${name}`, { body })
      if (!printed(flags, answer)) process.stdout.write(`wrote ${name}\n`)
    },
  })

/** The object of this name, with all its fields: the API replaces the fields that a request leaves out. */
async function existing(scheduler: Scheduler, listed: string, name: string) {
  const rows = await scheduler.rows(listed, `looking up ${name}`, { prefix: name })
  return rows.find((row) => row['Name'] === name)
}
