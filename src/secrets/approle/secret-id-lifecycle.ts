import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of a secret ID: from → event → to. The final states have no exits.
 */
export const secretIdLifecycle = /* @__PURE__ */ lifecycle({
  active: { use: 'active', spend: 'spent', expire: 'expired', destroy: 'destroyed' },
  /** Its last login has been used. */
  spent: {},
  /** It has expired. */
  expired: {},
  /** It was destroyed by its text or accessor, or with its role. */
  destroyed: {},
})

/** The status of a secret ID. */
export type SecretIdStatus = keyof typeof secretIdLifecycle
