import * as z from 'zod'
import { type Body, type Entry, positionOf, toPlain } from '../../hcl/index.ts'
import { firstFault, strict } from '../../operation/known-fields.ts'
import type { AuditTarget } from '../../secrets/index.ts'
import { readDeviceOptions } from '../../secrets/service/audit/device-options.ts'
import { UserError } from '../user-error.ts'

/** An audit device of a configuration file. */
export interface AuditConfig {
  /** The name that lists show, with its slash: the label of the block, or `file/`. */
  readonly name: string
  readonly target: AuditTarget
  readonly description: string
  readonly hmacAccessor: boolean
  readonly elideListResponses: boolean
}

/** A boolean, or its text. */
export const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
  error: 'expected true or false',
})

/** The settings of an audit device. */
export const AuditSettings = strict(
  {
    path: z
      .string()
      .min(1, { error: 'expected the path of a file' })
      .optional()
      .describe('Of a file device: file to append JSON lines to'),
    address: z.string().optional().describe('Of a socket device: `HOST:PORT`, or the path of a Unix socket'),
    socket_type: z.string().optional().describe('Of a socket device: tcp (the default), udp or unix'),
    write_timeout: z
      .string()
      .optional()
      .describe('Of a socket device: how long a line may take; 2s by default'),
    description: z.string().optional().describe('A description for lists'),
    hmac_accessor: Flag.optional().describe('Whether accessors are hashed; true by default'),
    elide_list_responses: Flag.optional().describe(
      'Whether listed keys are replaced by their number; false by default',
    ),
  },
  'setting',
)

const isAudit = (entry: Entry): boolean => entry.keys[0]?.text === 'audit'

/** Extracts the blocks `audit "file" "NAME" { … }` from a configuration, which may have any number of them. */
export function takeAudit(
  body: Body,
  path: string,
): { readonly rest: Body; readonly audit: readonly AuditConfig[] } {
  const audit: AuditConfig[] = []
  for (const { keys, value, at } of body.entries.filter(isAudit)) {
    const labels = keys.slice(1).map(({ text }) => text)
    const blocks = value.kind === 'list' ? value.items : [value]
    for (const block of blocks) {
      if (block.kind !== 'object' || labels.length > 2)
        throw new UserError(`${path}, line ${at.line}: audit: expected audit "file" { path = "…" }`)
      for (const { own, inner } of labelled(block, labels)) {
        const read = AuditSettings.safeParse(toPlain(inner))
        if (!read.success) {
          const { keys: within, path: key, message } = firstFault(read.error)
          throw new UserError(`${path}, line ${positionOf(inner, within).line}: audit.${key}: ${message}`)
        }
        const [type = 'file', label = type] = own
        if (type !== 'file' && type !== 'socket')
          throw new UserError(
            `${path}, line ${at.line}: audit: "${type}" is not a type of audit device; the types are "file" and "socket"`,
          )
        audit.push({
          name: freeName(label, audit),
          target: targetOf(type, read.data, `${path}, line ${inner.at.line}`),
          description: read.data.description ?? '',
          hmacAccessor: read.data.hmac_accessor ?? true,
          elideListResponses: read.data.elide_list_responses ?? false,
        })
      }
    }
  }
  return { rest: { ...body, entries: body.entries.filter((entry) => !isAudit(entry)) }, audit }
}

function targetOf(
  type: AuditTarget['type'],
  { path, address, socket_type, write_timeout }: z.output<typeof AuditSettings>,
  where: string,
): AuditTarget {
  if (type === 'file' && path === undefined)
    throw new UserError(`${where}: audit.path: expected the path of a file`)
  const given = Object.entries({ path, address, socket_type, write_timeout })
  const options = Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== undefined))
  const read = readDeviceOptions({ type, options })
  if ('refusal' in read) throw new UserError(`${where}: audit: ${read.refusal.message}`)
  return read.target
}

/** The settings below the labels of a block; in JSON, a label is one more level. */
function labelled(
  block: Body,
  labels: readonly string[],
): readonly { readonly own: readonly string[]; readonly inner: Body }[] {
  const isSettings = block.entries.some(({ keys }) => Object.hasOwn(AuditSettings.shape, keys[0]?.text ?? ''))
  if (isSettings || labels.length > 1 || block.entries.length === 0) return [{ own: labels, inner: block }]
  return block.entries.flatMap(({ keys, value }) => {
    const own = [...labels, ...keys.map(({ text }) => text)]
    if (value.kind === 'object') return labelled(value, own)
    return value.kind === 'list'
      ? value.items.flatMap((item) => (item.kind === 'object' ? labelled(item, own) : []))
      : [{ own: labels, inner: block }]
  })
}

/** A unique name: several blocks without a label are numbered. */
function freeName(label: string, taken: readonly AuditConfig[]): string {
  const bare = label.replace(/^\/+|\/+$/g, '')
  const isFree = (name: string) => !taken.some((other) => other.name === name)
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${bare}/` : `${bare}-${number}/`
    if (isFree(name)) return name
  }
}
