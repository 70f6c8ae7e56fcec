import { membersOf } from '../client/members.ts'
import { wholeNumber } from '../client/monitor.ts'
import { bodyOf, valueHelp } from '../client/pairs.ts'
import { printFacts, printField, printSection, printTable, time } from '../client/print.ts'
import type { Row } from '../client/scheduler.ts'
import { printed, schedulerCommand } from '../client/scheduler-command.ts'
import type { Group, Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'

const pathWord = { name: 'PATH', about: 'the path of a variable' } as const satisfies Word
const checkFlag = {
  'check-index': {
    type: 'string',
    value: 'INDEX',
    about: 'only if the variable has this ModifyIndex, or with 0 if it does not exist',
  },
} as const
const casOf = (index: string | undefined) =>
  index === undefined ? {} : { cas: String(wholeNumber(index, '-check-index')) }

function tell(variable: Row): void {
  printFacts([
    ['Namespace', variable['Namespace']],
    ['Path', variable['Path']],
    ['Create Time', time(variable['CreateTime'])],
    ['Check Index', variable['ModifyIndex']],
  ])
  printSection('Items')
  printFacts(Object.entries(membersOf(variable['Items'])))
}

const get = schedulerCommand({
  about: 'print a variable',
  flags: { item: { type: 'string', value: 'NAME', about: 'print only this item' } },
  words: [pathWord],
  examples: [{ run: 'plinth var get app/db', about: 'its items' }],
  run: async (scheduler, { flags, words: [path] }) => {
    const variable = membersOf(await scheduler.ask('GET', `var/${path}`, `reading ${path}`))
    if (flags.item !== undefined) return printField(membersOf(variable['Items']), flags.item, path)
    if (!printed(flags, variable)) tell(variable)
  },
})

const put = schedulerCommand({
  about: 'write a variable; its items are replaced',
  flags: { ...checkFlag, force: { type: 'boolean', about: 'overwrite it if it exists' } },
  words: [pathWord, { name: 'NAME=VALUE', about: valueHelp, rest: true }],
  examples: [{ run: 'plinth var put app/db user=ada password=hunter2', about: 'a new variable' }],
  run: async (scheduler, { flags, words: [path, ...pairs] }) => {
    const Items = Object.fromEntries(
      Object.entries(await bodyOf(pairs)).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    )
    // Without -force, a write replaces only the state that its caller has seen.
    const query = flags.force ? {} : casOf(flags['check-index'] ?? '0')
    const answer = await scheduler
      .ask('PUT', `var/${path}`, `writing ${path}`, { query, body: { Items } })
      .catch((error: unknown) => {
        if (error instanceof UserError && error.message.includes('(409)'))
          throw new UserError(
            `${path} has another ModifyIndex: plinth var get shows it; use it as -check-index, or use -force`,
          )
        throw error
      })
    if (!printed(flags, answer)) tell(membersOf(answer))
  },
})

const list = schedulerCommand({
  about: 'list the variables',
  flags: {},
  words: [{ name: 'PREFIX', about: 'only paths that begin with this', optional: true }],
  examples: [{ run: 'plinth var list app/', about: 'those below app/' }],
  run: async (scheduler, { flags, words: [prefix = ''] }) => {
    const rows = await scheduler.rows('vars', 'listing the variables', { prefix })
    if (printed(flags, rows)) return
    printTable(
      ['Namespace', 'Path', 'Last Updated'],
      rows.map((row) => [row['Namespace'], row['Path'], time(row['ModifyTime'])]),
    )
  },
})

const purge = schedulerCommand({
  about: 'delete a variable',
  flags: checkFlag,
  words: [pathWord],
  examples: [{ run: 'plinth var purge app/db', about: 'deletes it permanently' }],
  run: async (scheduler, { flags, words: [path] }) => {
    await scheduler.ask('DELETE', `var/${path}`, `deleting ${path}`, { query: casOf(flags['check-index']) })
    if (!printed(flags, {})) process.stdout.write(`deleted ${path}\n`)
  },
})

export const variable = {
  about: 'variables of the scheduler',
  commands: { put, get, list, purge },
} as const satisfies Group
