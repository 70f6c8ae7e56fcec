import * as z from 'zod'
import { argument, like } from '../../../operation/arguments.ts'
import { operation } from '../../../operation/operation.ts'
import {
  type AclRequest,
  explainDecision,
  needsSudo,
  normalisePolicies,
  type Operation as Right,
} from '../../acl/index.ts'
import { found } from '../core/answer.ts'
import { isTexts, named, text } from '../core/arguments.ts'
import { operationNames, type Within } from '../core/context.ts'
import type { SecretsMethods } from '../core/methods.ts'

const name = named('name')
const rights = [...operationNames, 'help'] as const satisfies readonly Right[]

/** The operations on the policies of a namespace. */
export const policyOperations = {
  /** The names, sorted, `root` last. */
  list: operation({
    takes: [],
    refuses: [],
    run: async ({ services, namespace }: Within) => found(await services.policies.list(namespace)),
  }),
  /** Reads the text of a policy; `undefined` if it does not exist. */
  read: operation({
    takes: [name],
    refuses: [],
    run: async ({ services, namespace }: Within, name: string) =>
      found(await services.policies.read(namespace, name)),
  }),
  /** Writes a policy: HCL or JSON. */
  write: operation({
    takes: [name, text('text')],
    refuses: ['policy_missing', 'policy_fixed', 'invalid_policy'],
    run: ({ services, namespace }: Within, name: string, text: string) =>
      services.policies.write(namespace, { name, text }),
  }),
  /** Deletes a policy; false if it did not exist. */
  delete: operation({
    takes: [name],
    refuses: ['policy_missing', 'policy_fixed', 'invalid_policy'],
    run: ({ services, namespace }: Within, name: string) => services.policies.delete(namespace, name),
  }),
  /**
   * Explains whether a token with these policies may access a path, with the deciding rule and the reason. Knows the
   * paths that need `sudo`.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.policies.write('dev', 'path "secret/data/app/*" { capabilities = ["read"] }')
   * const told = await service.policies.explain(['dev'], { path: 'secret/data/app/db', operation: 'update' })
   * told.ok && told.value.text // 'refused: "secret/data/app/*" (policy dev, line 1) allows read, not update'
   * await service.close()
   * ```
   */
  explain: operation({
    takes: [
      argument<readonly string[]>('policies', isTexts),
      argument<AclRequest>('request', like(z.object({ path: z.string(), operation: z.enum(rights) }))),
    ],
    refuses: [],
    run: async ({ services, namespace }: Within, policies: readonly string[], request: AclRequest) => {
      const acl = await services.policies.aclOf(
        await services.core.fresh(),
        namespace,
        normalisePolicies(policies),
      )
      const { path, operation } = request
      return found(explainDecision(acl, { needsSudo: needsSudo(path, operation), ...request }))
    },
  }),
}

/** The policies of a service, for programs that embed it. */
export interface PoliciesHandle extends SecretsMethods<typeof policyOperations> {}
