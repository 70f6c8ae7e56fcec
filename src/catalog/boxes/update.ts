import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, step } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import type { Box } from './model.ts'
import { boxNameProblem } from './names.ts'
import { textsProblem } from './text-limits.ts'

/**
 * The changes of a box; omitted fields stay unchanged.
 */
export interface UpdateBoxInput {
  /** A new name; the old one becomes free immediately. */
  readonly name?: string | undefined
  readonly shortDescription?: string | undefined
  /** Markdown. */
  readonly description?: string | undefined
  readonly private?: boolean | undefined
}

/**
 * Changes the texts, the privacy or the name of a box.
 *
 * @remarks
 * The caller must check that a new name is free, because one box does not know the others.
 *
 * @returns the box; or `invalid_name`, `text_too_long`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createBox, updateBox } from 'plinth/catalog'
 *
 * const box = unwrap(createBox(undefined, { username: 'alice', name: 'tiny' }, systemEnv()))
 * unwrap(updateBox(box, { private: false }, systemEnv())).private // false
 * ```
 */
export function updateBox(
  box: Box,
  input: UpdateBoxInput,
  env: Env,
): Outcome<Box, Box, CatalogEvent, 'invalid_name' | 'text_too_long'> {
  checkArguments('box input env', box, input, env)
  const unsound = (input.name === undefined ? undefined : boxNameProblem(input.name)) ?? textsProblem(input)
  if (unsound) return unsound
  const { name = box.name, shortDescription = box.shortDescription, description = box.description } = input
  const next = { name, shortDescription, description, private: input.private ?? box.private }
  if (
    next.name === box.name &&
    next.shortDescription === box.shortDescription &&
    next.description === box.description &&
    next.private === box.private
  )
    return answer(box, box)
  const outcome = step(box, (draft, emit: (event: CatalogEvent) => void) => {
    Object.assign(draft, next)
    draft.updatedAt = env.now
    emit({ type: 'box.updated' })
  })
  return { ...outcome, value: outcome.state }
}
