import type { Fields } from '../box/catalog-client.ts'
import { fieldFlag, formatFlag } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { printData, printField, printObject, printTable } from '../client/print.ts'
import { command, type Group } from '../command/declaration.ts'
import type { Administered } from './administered.ts'
import { showListed } from './show-listed.ts'

/** The service that sends the messages. */
interface Webhooks extends Administered {
  /** The command of the group, such as `box webhook`. */
  readonly group: string
  /** What its events are about. */
  readonly about: string
  /** Whose events they are: an owner or a namespace. */
  readonly owner: string
}

const idWord = { name: 'ID', about: 'the id of the webhook, as in the list' } as const

/** `create`, `list`, `show` and `delete` of the webhooks of a service. */
export const webhookCommands = (webhooks: Webhooks) => {
  const { group, about, to, environment } = webhooks
  const list = (given: string | undefined) => listed(webhooks, given)
  const sample = `$(plinth ${group} create https://example.com/hook --field id)`
  return {
    about,
    commands: {
      create: createCommand(webhooks),
      list: listCommand(webhooks),
      show: showListed({ group, one: 'webhook', word: idWord, key: 'id', to, environment, list, sample }),
      delete: deleteCommand(webhooks, sample),
    },
  } as const satisfies Group
}

async function listed({ connect }: Webhooks, to: string | undefined): Promise<readonly Fields[]> {
  const { webhooks } = await (await connect(to))('list the webhooks', 'GET', ['webhooks'])
  return Array.isArray(webhooks) ? webhooks.map(membersOf) : []
}

function createCommand({ group, owner, to, environment, connect }: Webhooks) {
  return command({
    about: 'create a webhook, and print its secret, which is not shown again',
    description: `The service posts a message to the address for each event, signed with the secret as the
Standard Webhooks specification requires.`,
    flags: {
      event: { type: 'string', value: 'TYPE', about: 'a type of events (repeatable; all)', multiple: true },
      owner: { type: 'string', value: 'NAME', about: `only events of this ${owner}` },
      to,
      ...fieldFlag,
      ...formatFlag,
    },
    words: [{ name: 'URL', about: 'where messages are posted' }],
    examples: [{ run: `plinth ${group} create https://example.com/hook`, about: 'for all events' }],
    environment,
    run: async ({ flags, words: [url] }) => {
      const events = flags.event.length === 0 ? undefined : flags.event
      const ask = await connect(flags.to)
      // If the answer of a first attempt is lost, a retry would leave a webhook with an unknown secret behind.
      const made = await ask('create a webhook', 'POST', ['webhooks'], {
        json: { url, events, owner: flags.owner },
        tries: 1,
      })
      if (flags.field !== undefined) return printField(made, flags.field, 'the webhook')
      printObject(flags.format, made)
    },
  })
}

function listCommand(webhooks: Webhooks) {
  const { group, to, environment } = webhooks
  return command({
    about: 'list the webhooks, with the result of the last delivery',
    flags: { to, ...formatFlag },
    words: [],
    examples: [{ run: `plinth ${group} list`, about: 'without their secrets' }],
    environment,
    run: async ({ flags }) => {
      const rows = await listed(webhooks, flags.to)
      if (printData(flags.format, { webhooks: rows })) return
      printTable(
        ['ID', 'URL', 'Events', 'Owner', 'Last message'],
        rows.map(({ id, url, events, owner, last }) => [
          id,
          url,
          Array.isArray(events) ? events.join(', ') : '',
          owner ?? 'all',
          last === null ? 'none yet' : (membersOf(last)['problem'] ?? 'delivered'),
        ]),
      )
    },
  })
}

function deleteCommand({ group, to, environment, connect }: Webhooks, sample: string) {
  return command({
    about: 'delete a webhook: no more messages are sent',
    flags: { to },
    words: [idWord],
    examples: [{ run: `plinth ${group} delete ${sample}`, about: 'delete a webhook that was just created' }],
    environment,
    run: async ({ flags, words: [id] }) => {
      await (await connect(flags.to))(`delete the webhook ${id}`, 'DELETE', ['webhooks', id])
      process.stdout.write(`deleted the webhook ${id}\n`)
    },
  })
}
