import { compile, type Filter, FilterError } from '../../../filter/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { decideAsked } from '../../acl/decide.ts'
import { asFolder } from '../../kv1/index.ts'
import type { Secret } from '../../kv2/model.ts'
import { found } from '../core/answer.ts'
import type { SecretsContext } from '../core/context.ts'
import { kvOperations } from './operations.ts'
import { listSecrets } from './versioned-reads.ts'
import { metadataWire } from './wire.ts'

interface ListInput {
  /** An expression on custom metadata. */
  readonly filter: string | undefined
  /** Whether the secrets of the names are needed. */
  readonly detailed: boolean
}

/** The fields of a secret in filters: each custom metadata key by its name, and all of them as `custom_metadata`. */
const rowOf = ({ customMetadata }: Secret): Readonly<Record<string, unknown>> => {
  const notes = customMetadata ?? {}
  return { ...notes, custom_metadata: notes }
}

/** Lists a folder, or all paths below it, with the metadata of each secret as JSON if it was needed. */
async function list(
  context: SecretsContext,
  folder: string,
  filter: Filter<Readonly<Record<string, unknown>>> | undefined,
  detailed: boolean,
) {
  const { page, operation, namespace, mount, decided } = context
  const details = new Map<string, string>()
  // Custom metadata is only for callers that may read it: neither details nor a filter must reveal it to others.
  const mayRead = (name: string) =>
    decided !== undefined &&
    decideAsked(decided.acl, {
      path: `${namespace.path}${mount.path}metadata/${asFolder(folder)}${name}`,
      operation: 'read',
    }).allowed
  const passes = (name: string, secret: Secret | undefined): boolean => {
    if (secret === undefined) return filter === undefined
    const isReadable = mayRead(name)
    const isListed = filter === undefined || (isReadable && filter.test(rowOf(secret)))
    if (detailed && isListed) {
      const shown = metadataWire(isReadable ? secret : { ...secret, customMetadata: null })
      details.set(name, JSON.stringify(shown))
    }
    return isListed
  }
  const result = await listSecrets(context, folder, {
    ...page,
    deep: operation === 'scan',
    passes: filter === undefined && !detailed ? undefined : passes,
  })
  return result.ok ? found({ keys: result.value, details }) : result
}

/** Lists the secrets whose custom metadata passes a filter. */
export const listFiltered = routeOperation({
  refuses: [...kvOperations.list.refuses, 'filter_invalid'],
  run: async (context: SecretsContext, folder: string, { filter, detailed }: ListInput) => {
    try {
      const compiled = filter?.trim() ? compile(filter, { unknown: '' }) : undefined
      return await list(context, folder, compiled, detailed)
    } catch (error) {
      if (error instanceof FilterError)
        return refuse('filter_invalid', `failed to read filter expression: ${error.message}`)
      throw error
    }
  },
})
