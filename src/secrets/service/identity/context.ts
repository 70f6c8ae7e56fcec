import type { Reply } from '../../../http/index.ts'
import type { Mount } from '../../mounts/index.ts'
import { answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { pageOf } from '../core/list-page.ts'

/** The auth mounts of a namespace, to which aliases refer by accessor. */
export const authMountsOf = ({ services, namespace }: SecretsContext): Promise<readonly Mount[]> =>
  services.mounts.list(namespace, 'auth')

/** A list of identifiers or names, with details of each. */
export function answerInfo(context: SecretsContext, info: Readonly<Record<string, unknown>>): Reply {
  const keys = pageOf(Object.keys(info).sort(), context.page)
  if (keys.length === 0) return notFound
  return answerWith(context, {
    data: { keys, key_info: Object.fromEntries(keys.map((key) => [key, info[key]])) },
  })
}
