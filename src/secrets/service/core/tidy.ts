import type { Reply } from '../../../http/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { found } from './answer.ts'
import { answerWith, type SecretsContext, type Within } from './context.ts'
import { mayWarn } from './reply-shapes.ts'

const sweep = routeOperation({
  refuses: [],
  run: async ({ core }: Within) => found(await core.sweeper.sweep()),
})

/** The work and the answer of the routes that delete leftovers. */
export const tidies = {
  success: 202,
  reply: mayWarn.also[200].reply,
  run: sweep,
  show: (_deleted: number, { context }: { readonly context: SecretsContext }): Reply =>
    answerWith(context, { warnings: ['Tidy operation has run; nothing is left to sweep.'] }, 202),
} as const
