import * as z from 'zod'
import { type Body, type Entry, positionOf, toPlain } from '../../hcl/index.ts'
import { firstFault, strict } from '../../operation/known-fields.ts'
import { UserError } from '../user-error.ts'

/** An audit device of a configuration file. */
export interface AuditConfig {
  /** The name that lists show, with its slash: the label of the block, or `file/`. */
  readonly name: string
  readonly file: string
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
      .describe('File to append JSON lines to'),
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
        if (own.length === 2 && type !== 'file')
          throw new UserError(
            `${path}, line ${at.line}: audit: "${type}" is not a type of audit device; the only type is "file"`,
          )
        audit.push({
          name: freeName(label, audit),
          file: read.data.path,
          description: read.data.description ?? '',
          hmacAccessor: read.data.hmac_accessor ?? true,
          elideListResponses: read.data.elide_list_responses ?? false,
        })
      }
    }
  }
  return { rest: { ...body, entries: body.entries.filter((entry) => !isAudit(entry)) }, audit }
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
