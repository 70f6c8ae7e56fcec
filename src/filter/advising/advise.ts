import type { Advice } from './advice.ts'
import { adviseSyntax } from './syntax-advice.ts'
import { adviseAbsent, adviseUnfit } from './unfit-advice.ts'
import { adviseValue } from './value-advice.ts'

/** All advice. */
export const advise: Advice = {
  syntax: adviseSyntax,
  unfit: adviseUnfit,
  absent: adviseAbsent,
  value: adviseValue,
}
