import type { Group } from '../../command/declaration.ts'
import { quotaCommands } from '../quota.ts'
import { webhookCommands } from '../webhook.ts'
import { addressFlag, administrate, administratorEnvironment } from './administration.ts'
import { boxDelete } from './delete.ts'
import { boxMember } from './member.ts'
import { boxMirror } from './mirror.ts'
import { boxOrganization } from './organization.ts'
import { boxPush } from './push.ts'
import { boxList, boxShow } from './read.ts'
import { boxRelease, boxRevoke } from './release.ts'
import { boxToken } from './token.ts'
import { boxUser } from './user.ts'

const { quota, prune } = quotaCommands({
  noun: 'boxes',
  path: 'owners',
  word: 'OWNER',
  to: addressFlag.to,
  environment: administratorEnvironment,
  connect: (to) => administrate(to),
})

export const box = {
  about: 'boxes of a catalog, its users and their tokens',
  commands: {
    push: boxPush,
    list: boxList,
    show: boxShow,
    release: boxRelease,
    revoke: boxRevoke,
    delete: boxDelete,
    mirror: boxMirror,
    user: boxUser,
    organization: boxOrganization,
    member: boxMember,
    token: boxToken,
    webhook: webhookCommands({
      group: 'box webhook',
      about: 'messages about new versions of boxes',
      owner: 'owner of boxes',
      to: addressFlag.to,
      environment: administratorEnvironment,
      connect: (to) => administrate(to),
    }),
    quota,
    prune,
  },
} as const satisfies Group
