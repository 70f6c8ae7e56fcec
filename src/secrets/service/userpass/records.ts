import { collection } from '../../../store/index.ts'
import type { UserpassUser } from '../../userpass/model.ts'

/** The users of each mount, by their names in lower case. */
export const userpassUsers = collection<{ readonly mount: string; readonly user: UserpassUser }>({
  name: 'userpass',
  key: ({ mount, user }) => [mount, user.username],
  scopes: () => [],
})
