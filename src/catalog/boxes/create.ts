import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { CatalogEvent } from '../events.ts'
import type { Box } from './model.ts'
import { boxNameProblem, foldName } from './names.ts'
import { textsProblem } from './text-limits.ts'

/**
 * A box to create.
 */
export interface CreateBoxInput {
  /** The account that will own it. */
  readonly username: string
  readonly name: string
  readonly shortDescription?: string | undefined
  /** Markdown. */
  readonly description?: string | undefined
  /** Private unless this says false (`is_private` is true by default). */
  readonly private?: boolean | undefined
}

/**
 * Why a box cannot be created.
 */
export type CreateBoxRefusal = 'invalid_name' | 'text_too_long' | 'box_taken'

/**
 * Creates a box. Nothing remains of a deleted box of the same name: everything has its default.
 *
 * @param existing - the box that already has the name, if any
 *
 * @returns the box; or `invalid_name`, `text_too_long`, `box_taken`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createBox } from 'plinth/catalog'
 *
 * const box = unwrap(createBox(undefined, { username: 'alice', name: 'tiny' }, systemEnv()))
 * box.private // true
 * ```
 */
export function createBox(
  existing: Box | undefined,
  input: CreateBoxInput,
  env: Env,
): Outcome<Box, Box, CatalogEvent, CreateBoxRefusal> {
  checkArguments('input env', input, env)
  const unsound = boxNameProblem(input.name) ?? textsProblem(input)
  if (unsound) return unsound
  if (existing) return refuse('box_taken', boxTaken)
  const box: Box = {
    id: env.newId('box'),
    username: input.username,
    name: input.name,
    shortDescription: input.shortDescription ?? '',
    description: input.description ?? '',
    private: input.private ?? true,
    createdAt: env.now,
    updatedAt: env.now,
  }
  return { ok: true, state: box, value: box, events: [{ type: 'box.created' }] }
}

/** The message of the original service, which publishing scripts look for. */
export const boxTaken = 'Type has already been taken'

/**
 * The full name of a box.
 *
 * @example
 * ```ts
 * import { tagOf } from 'plinth/catalog'
 *
 * tagOf({ username: 'alice', name: 'tiny' }) // 'alice/tiny'
 * ```
 */
export const tagOf = ({ username, name }: Pick<Box, 'username' | 'name'>): string => `${username}/${name}`

/** The same for every spelling of one box's full name. */
export const tagKey = (box: Pick<Box, 'username' | 'name'>): string => foldName(tagOf(box))
