import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { textsProblem } from '../boxes/text-limits.ts'
import type { CatalogEvent } from '../events.ts'
import type { Version } from './model.ts'
import { parseVersionNumber, type VersionNumber } from './number.ts'

/**
 * A version to create.
 */
export interface CreateVersionInput {
  /** Its number, as {@link parseVersionNumber} reads it. */
  readonly version: string
  /** Markdown. */
  readonly description?: string | undefined
}

/**
 * Why a version cannot be created.
 */
export type CreateVersionRefusal = 'invalid_version_number' | 'text_too_long' | 'version_taken'

/**
 * Creates a version of a box: unreleased, without providers.
 *
 * @param existing - the box's version of that number (in any spelling), if any
 * @param input - the version, and `boxId`: the box it belongs to
 *
 * @returns the version; or `invalid_version_number`, `text_too_long`, `version_taken`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createVersion } from 'plinth/catalog'
 *
 * unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0.0' }, systemEnv())).status // 'unreleased'
 * const refused = createVersion(undefined, { boxId: 'b1', version: 'v1' }, systemEnv())
 * !refused.ok && refused.refusal.code // 'invalid_version_number'
 * ```
 */
export function createVersion(
  existing: Version | undefined,
  input: CreateVersionInput & { readonly boxId: string },
  env: Env,
): Outcome<Version, Version, CatalogEvent, CreateVersionRefusal> {
  checkArguments('input env', input, env)
  const number = readVersionNumber(input.version)
  if ('refusal' in number) return number
  const unsound = textsProblem(input)
  if (unsound) return unsound
  if (existing) return refuse('version_taken', versionTaken)
  const version: Version = {
    boxId: input.boxId,
    number: number.text,
    canonical: number.canonical,
    status: 'unreleased',
    description: input.description ?? '',
    providers: [],
    createdAt: env.now,
    updatedAt: env.now,
  }
  const event = { type: 'version.created', version: version.number } as const
  return { ok: true, state: version, value: version, events: [event] }
}

/** The message of the original service, which publishing scripts look for. */
export const versionTaken = 'Version has already been taken'

/** Parses a version number, or refuses it with an example. */
export const readVersionNumber = (text: string) =>
  text.trim() === ''
    ? refuse('invalid_version_number', "Version can't be blank")
    : ((parseVersionNumber(text) satisfies VersionNumber | undefined) ??
      refuse(
        'invalid_version_number',
        `Version ${JSON.stringify(text.slice(0, 140))} is invalid: use numbers and dots, such as 1.2.0 or 2.0.0-beta.1`,
      ))
