import { collection, prefixOf } from '../../../store/index.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { userpassRenewalProblem } from '../../userpass/login.ts'
import type { UserpassUser } from '../../userpass/model.ts'
import type { Concept } from '../core/core.ts'
import { mountById } from '../core/find-mounts.ts'

/** The users of each mount, by their names in lower case. */
export const userpassUsers = collection<{ readonly mount: string; readonly user: UserpassUser }>({
  name: 'userpass',
  key: ({ mount, user }) => [mount, user.username],
  scopes: () => [],
})

export const userpass: Concept = {
  held: [userpassUsers],
  ofMount: (id) => [prefixOf(userpassUsers.name, id)],
  renewal: {
    isOf: (_core, mountType) => mountType === 'userpass',
    settings: async (core, token, namespace, { mount: id, user: name }) => {
      const now = await core.fresh()
      const user = userpassUsers.get(now, id, name)?.value.user
      const problem = userpassRenewalProblem(user, token)
      if (problem) return problem
      const mount = mountById(now, namespace, id)
      return { ...leaseTimesOf(mount ?? core.mountPolicy, core.mountPolicy), settings: user?.tokens }
    },
  },
}
