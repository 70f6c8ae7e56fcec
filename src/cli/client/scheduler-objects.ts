import type { AnyCommand, Word } from '../command/declaration.ts'
import { printFacts, printTable } from './print.ts'
import type { Row, Scheduler } from './scheduler.ts'
import { printed, schedulerCommand } from './scheduler-command.ts'

/** A kind of objects of the scheduler, which commands list, show and delete. */
interface Kind {
  /** The command of the group, such as `acl role`. */
  readonly group: string
  /** One of them, with its article. */
  readonly one: string
  readonly many: string
  readonly word: Pick<Word, 'name' | 'about'>
  /** The path of the list in the API. */
  readonly listed: string
  /** The path in the API below which each one has its ID. */
  readonly at: string
  /** The fields that the table shows. */
  readonly columns: readonly string[]
  /** Finds the ID of an object that can be named in another way. */
  readonly idOf?: (scheduler: Scheduler, given: string) => Promise<string>
  /** The objects that the examples show and delete. */
  readonly sample: { readonly show: string; readonly delete: string }
}

/** `list`, `info` and `delete` of a kind of objects. */
export const objectCommands = (kind: Kind) => ({
  list: listCommand(kind),
  info: infoCommand(kind),
  delete: deleteCommand(kind),
})

function listCommand({ group, many, listed, columns }: Kind): AnyCommand {
  return schedulerCommand({
    about: `list ${many}`,
    flags: {},
    words: [],
    examples: [{ run: `plinth ${group} list`, about: 'as a table' }],
    run: async (scheduler, { flags }) => {
      const rows = await scheduler.rows(listed, `listing ${many}`)
      if (printed(flags, rows)) return
      printTable(
        columns,
        rows.map((row) => columns.map((column) => cell(row[column]))),
      )
    },
  })
}

function infoCommand({ group, one, word, at, idOf, sample }: Kind): AnyCommand {
  return schedulerCommand({
    about: `show ${one}`,
    flags: {},
    words: [word],
    examples: [{ run: `plinth ${group} info ${sample.show}`, about: 'its fields' }],
    run: async (scheduler, { flags, words: [given] }) => {
      const id = (await idOf?.(scheduler, given)) ?? given
      const found = await scheduler.ask('GET', pathOf(at, id), `reading ${given}`)
      if (!printed(flags, found)) showObject(found)
    },
  })
}

function deleteCommand({ group, one, word, at, idOf, sample }: Kind): AnyCommand {
  return schedulerCommand({
    about: `delete ${one}`,
    flags: {},
    words: [word],
    examples: [{ run: `plinth ${group} delete ${sample.delete}`, about: 'at once' }],
    run: async (scheduler, { flags, words: [given] }) => {
      const id = (await idOf?.(scheduler, given)) ?? given
      const answer = await scheduler.ask('DELETE', pathOf(at, id), `deleting ${given}`)
      if (!printed(flags, answer)) process.stdout.write(`deleted ${given}\n`)
    },
  })
}

const pathOf = (at: string, id: string): string => `${at}/${encodeURIComponent(id)}`

/** Prints the fields of an object that have a value; those of several lines, such as rules, at the end. */
export function showObject(object: unknown): void {
  const fields = Object.entries(object as Row).filter(
    ([, value]) => value !== '' && value !== null && value !== undefined,
  )
  const isLong = (value: unknown): value is string => typeof value === 'string' && value.includes('\n')
  printFacts(fields.filter(([, value]) => !isLong(value)).map(([name, value]) => [name, cell(value)]))
  for (const [name, value] of fields)
    if (isLong(value)) process.stdout.write(`\n${name}\n${value.trimEnd()}\n`)
}

/** The cell of a table: a list is separated by commas, and objects in it are shown by their names. */
const cell = (value: unknown): unknown =>
  Array.isArray(value)
    ? value
        .map((each) => (typeof each === 'object' && each !== null && 'Name' in each ? each.Name : each))
        .join(', ')
    : (value ?? '')
