import type { Reply } from '../../../http/index.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Within } from '../core/context.ts'
import { answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { mountsIn } from '../core/find-mounts.ts'
import { pageOf } from '../core/list-page.ts'

/** The auth mounts of a namespace, to which aliases refer by accessor. */
export const authMountsOf = ({ core, namespace }: Within): Promise<readonly Mount[]> =>
  mountsIn(core, namespace, 'auth')

/** A list of identifiers or names, with details of each. */
export function answerInfo(context: SecretsContext, info: Readonly<Record<string, unknown>>): Reply {
  const keys = pageOf(Object.keys(info).sort(), context.page)
  if (keys.length === 0) return notFound
  return answerWith(context, {
    data: { keys, key_info: Object.fromEntries(keys.map((key) => [key, info[key]])) },
  })
}
