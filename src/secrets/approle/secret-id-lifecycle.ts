import { lifecycle } from '../../kernel/index.ts'

/**
 * A secret ID from its making to its end. Read: from → what happens → to. Nothing leads out of an end.
 *
 * @public
 */
export const secretIdLifecycle = lifecycle({
  active: { use: 'active', spend: 'spent', expire: 'expired', destroy: 'destroyed' },
  /** Its last login was made. */
  spent: {},
  /** Its time is over. */
  expired: {},
  /** It was destroyed, by itself, its accessor, or with its role. */
  destroyed: {},
})

/** Where a secret ID stands. @public */
export type SecretIdStatus = keyof typeof secretIdLifecycle
