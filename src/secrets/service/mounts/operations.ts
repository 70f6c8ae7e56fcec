import * as z from 'zod'
import { argument, like, optionalArgument } from '../../../operation/arguments.ts'
import { asRead, fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import type { EnableInput, TuneInput } from '../../mounts/index.ts'
import { Mount } from '../../mounts/model.ts'
import { found } from '../core/answer.ts'
import { path, seconds, text } from '../core/arguments.ts'
import type { Within } from '../core/context.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { upgradeMount } from '../kv/upgrade.ts'

type Enable = Omit<EnableInput, 'accessorTail'>

const settings = Mount.pick({
  description: true,
  options: true,
  tokenType: true,
  listingVisibility: true,
  userLockout: true,
})
const leaseSeconds = seconds.or(z.literal('system'))

const kind = optionalArgument(argument<'secret' | 'auth'>('kind', like(z.enum(['secret', 'auth']))))
const enabled = argument<Enable>(
  'input',
  fields({
    ...asRead(Mount),
    ...settings
      .extend({ defaultLeaseTtlSeconds: seconds, maxLeaseTtlSeconds: seconds })
      .extend(Mount.pick({ local: true, sealWrap: true }).shape)
      .partial().shape,
    path: z.string(),
    type: z.string(),
  }),
)
const tuned = argument<TuneInput>(
  'input',
  fields({
    ...asRead(Mount),
    ...settings.extend({ defaultLeaseTtlSeconds: leaseSeconds, maxLeaseTtlSeconds: leaseSeconds }).partial()
      .shape,
    path: z.string(),
  }),
)

const placing = ['mount_path_invalid', 'mount_path_protected', 'mount_path_taken'] as const

/** The operations on the mounts of a namespace. */
export const mountOperations = {
  /** Secrets engines, or auth methods, ordered by path. */
  list: operation({
    takes: [kind],
    refuses: [],
    run: async ({ services, namespace }: Within, kind: 'secret' | 'auth' = 'secret') =>
      found(await services.mounts.list(namespace, kind)),
  }),
  /**
   * Mounts a secrets engine (`path: 'secret/'`) or an auth method (`path: 'auth/idp/'`).
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * const mounted = await service.mounts.enable({ path: 'team/', type: 'kv', options: { version: '2' } })
   * mounted.ok && mounted.value.path // 'team/'
   * await service.kv('team').write('app', { password: 'hunter2' })
   * await service.close()
   * ```
   */
  enable: operation({
    takes: [enabled],
    refuses: [
      ...placing,
      'mount_type_missing',
      'mount_type_unknown',
      'mount_version_invalid',
      'lease_ttl_order',
    ],
    run: ({ services, namespace }: Within, input: Enable) => services.mounts.enable(namespace, input),
  }),
  /** Changes settings. Raising a key/value mount to version 2 rewrites its entries before this resolves. */
  tune: operation({
    takes: [tuned],
    refuses: ['mount_not_found', 'mount_version_invalid', 'mount_version_downgrade', 'lease_ttl_order'],
    run: async ({ services, namespace }: Within, input: TuneInput) => {
      const result = await services.mounts.tune(namespace, input)
      if (result.ok && result.value.upgrade)
        await upgradeMount(services, { namespace, mount: result.value.mount })
      return result
    },
  }),
  /** Moves a mount with its data; users of an auth method must log in again. */
  move: operation({
    takes: [text('from'), text('to')],
    refuses: [...placing, 'mount_not_found', 'mount_fixed', 'mount_role_change'],
    run: async ({ services, namespace }: Within, from: string, to: string) => {
      const moved = await services.mounts.move(namespace, { from, to })
      return moved.ok ? found(moved.value.mount) : moved
    },
  }),
  /** Unmounts and deletes everything in the mount; `undefined` if the path was free. */
  disable: operation({
    takes: [path],
    refuses: ['mount_fixed'],
    run: ({ services, namespace }: Within, path: string) => services.mounts.disable(namespace, path),
  }),
}

/** The mounts of a service, for programs that embed it. */
export interface MountsHandle extends SecretsMethods<typeof mountOperations> {}
