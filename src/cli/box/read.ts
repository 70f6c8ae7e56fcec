import type { Format } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { printData, printRows, printTable } from '../client/print.ts'
import { type Fields, listOf, made, targetOf, textOf } from './catalog-client.ts'
import { oneBox } from './push.ts'

interface ReadFlags {
  readonly to: string | undefined
  readonly format: Format
}

/** `plinth box list [OWNER]` */
export async function listCommand(
  { to, format, search }: ReadFlags & { readonly search: string | undefined },
  [owner]: readonly [string?],
): Promise<void> {
  const catalog = targetOf(to, { isReader: true })
  const wanted = (box: Fields) =>
    owner === undefined || textOf(box, 'username')?.toLowerCase() === owner.toLowerCase()
  const boxes: Fields[] = []
  if (owner !== undefined && search === undefined)
    boxes.push(
      ...listOf(
        made(await catalog.call('GET', ['user', owner]), `cannot list the boxes of ${owner}`),
        'boxes',
      ),
    )
  else
    for (let page = 1; ; page += 1) {
      const query = `?${new URLSearchParams({ q: search ?? '', limit: '100', page: String(page) })}`
      const found = listOf(
        made(await catalog.call('GET', ['search'], { query }), 'cannot list the boxes'),
        'boxes',
      )
      boxes.push(...found.filter(wanted))
      if (found.length < 100) break
    }
  if (printData(format, boxes)) return
  printTable(
    ['Box', 'Version', 'Downloads', 'Private', 'Description'],
    boxes.map((box) => {
      const current = membersOf(box['current_version'])['version'] ?? 'none released'
      return [
        box['tag'],
        current,
        box['downloads'],
        box['private'] === true ? 'yes' : 'no',
        box['short_description'],
      ]
    }),
  )
}

/** `plinth box show USER/NAME` */
export async function showCommand({ to, format }: ReadFlags, [tag]: readonly [string]): Promise<void> {
  const { user, name } = oneBox(tag)
  const catalog = targetOf(to, { isReader: true })
  const box = made(await catalog.call('GET', ['box', user, name]), `cannot show ${tag}`)
  if (printData(format, box)) return
  printRows(
    ['tag', 'short_description', 'private', 'downloads', 'updated_at'].map((field) => [field, box[field]]),
  )
  process.stdout.write('\n')
  printTable(
    ['Version', 'Status', 'Provider', 'Architecture', 'Checksum'],
    listOf(box, 'versions').flatMap((version) => {
      const providers = listOf(version, 'providers')
      return (providers.length === 0 ? [{}] : providers).map((provider: Fields) => [
        version['version'],
        version['status'],
        provider['name'] ?? 'no image',
        provider['architecture'] ?? '',
        `${provider['checksum_type'] ?? ''} ${provider['checksum'] ?? ''}`.trim(),
      ])
    }),
  )
}
