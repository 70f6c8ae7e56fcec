import { blocksOf, readHcl, toPlain } from '../../hcl/index.ts'
import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { type AclRules, isBlockKind, readPolicy } from './policy.ts'

/** How many labels each block of a policy has. */
const labels: Readonly<Record<string, number>> = { namespace: 1, node_pool: 1, host_volume: 1 }

/**
 * Reads the text of a policy, in HCL or JSON.
 *
 * @returns its rules, or `invalid_policy` with the problem and its position
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { readRules } from 'plinth/scheduler'
 *
 * const read = readRules('namespace "default" { policy = "read" }')
 * unwrap(read).namespaces[0]?.name // 'default'
 * readRules('namespace "default" { policy = "rule" }').ok // false
 * ```
 */
export function readRules(
  text: string,
): { readonly ok: true; readonly value: AclRules } | Refused<'invalid_policy'> {
  checkArguments('text', text)
  if (text.trim() === '') return readPolicy({})
  const body = readHcl(text)
  if (!body.ok) return unreadable(body.refusal.message)
  if (body.value.entries.length === 0) return refuse('invalid_policy', 'Invalid policy: it has no block')
  const document: Record<string, unknown> = Object.create(null)
  for (const type of new Set(body.value.entries.map(({ keys: [first] }) => first?.text ?? ''))) {
    // An unknown block has no known number of labels.
    if (!isBlockKind(type)) return readPolicy({ [type]: [] })
    const blocks = blocksOf(body.value, type, labels[type] ?? 0)
    if (!blocks.ok) return unreadable(blocks.refusal.message)
    document[type] = blocks.value.map(({ labels: [label], body: block }) =>
      label === undefined ? toPlain(block) : { [label.text]: toPlain(block) },
    )
  }
  return readPolicy(document)
}

const unreadable = (message: string) => refuse('invalid_policy', `Failed to parse ACL Policy: ${message}`)
