import type { Group } from '../../command/declaration.ts'
import { boxMirror } from './mirror.ts'
import { boxPush } from './push.ts'

export const box = {
  about: 'boxes of a catalog',
  commands: { push: boxPush, mirror: boxMirror },
} as const satisfies Group
