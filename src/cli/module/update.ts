import { formatAddress } from '../../registry/modules/names.ts'
import { UserError } from '../user-error.ts'
import { moduleAddressOf, modulePath, refusalOf, registryClient } from './registry-client.ts'

/** What a module says of itself, as flags. */
export interface DescribingFlags {
  readonly description: string | undefined
  readonly source: string | undefined
  readonly label: readonly string[]
}

/** `plinth module update NAMESPACE/NAME/PROVIDER` */
export async function updateCommand(
  {
    to,
    description,
    source,
    label,
    verified,
    unverified,
  }: DescribingFlags & {
    readonly to: string | undefined
    readonly verified: boolean
    readonly unverified: boolean
  },
  [module]: readonly [string],
): Promise<void> {
  if (verified && unverified) throw new UserError('--verified and --unverified contradict each other', 2)
  const labels = label.length === 0 ? undefined : label
  const changes = { description, source, labels, verified: verified || (unverified ? false : undefined) }
  if (Object.values(changes).every((change) => change === undefined))
    throw new UserError('say what changes: --description, --source, --label, --verified or --unverified', 2)
  await change(to, module, ['PATCH', '', changes], 'updated')
}

/** `plinth module rename NAMESPACE/NAME/PROVIDER NAMESPACE/NAME/PROVIDER` */
export async function renameCommand(
  { to }: { readonly to: string | undefined },
  [module, name]: readonly [string, string],
): Promise<void> {
  const address = moduleAddressOf(name)
  await change(to, module, ['POST', '/rename', address], `renamed to ${formatAddress(address)}:`)
}

async function change(
  to: string | undefined,
  module: string,
  [method, below, json]: readonly ['PATCH' | 'POST', string, object],
  done: string,
): Promise<void> {
  const address = moduleAddressOf(module)
  const registry = registryClient(to)
  const answer = await registry.call(method, `${modulePath(address)}${below}`, { json })
  const what = formatAddress(address)
  if (answer.status !== 204) throw refusalOf(answer, `cannot change ${what}`)
  process.stdout.write(`${done} ${what}\n`)
}
