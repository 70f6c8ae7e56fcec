import { membersOf } from '../client/members.ts'
import { UserError } from '../user-error.ts'
import { type CatalogClient, made, objectOf } from './catalog-client.ts'
import { type ImagePlace, nameOf, readProvider, readVersion } from './place-box.ts'

/**
 * Refuses a new image for which its owner has no quota left, before anything is created: a refused upload would leave an
 * empty version behind. Whether an existing image may be replaced is for the catalog to say.
 *
 * @throws UserError if the quota of the owner does not allow it
 */
export async function checkQuota(to: CatalogClient, at: ImagePlace, bytes: number): Promise<void> {
  // Before the rest: what another push of the same version creates meanwhile is not counted twice.
  const answer = await to.administer('GET', ['owners', at.user, 'quota'])
  // The other requests would only repeat the attempts.
  if (answer.status === 0 || answer.status >= 500) made(answer, nameOf(at))
  // Catalogs of another make have none, and not everyone who may publish may read it.
  const { used, quota } = answer.status === 200 ? (objectOf(answer.text) ?? {}) : {}
  if (quota === undefined || (await readProvider(to, at)) !== undefined) return
  const versions = (await readVersion(to, at)) === undefined ? 1 : 0
  for (const [what, added] of Object.entries({ bytes, versions })) {
    const [has, most] = [membersOf(used)[what], membersOf(quota)[what]]
    if (typeof has === 'number' && typeof most === 'number' && has + added > most && added > 0)
      throw new UserError(
        `${nameOf(at)}: ${at.user} has ${has} ${what} and may have ${most}, and this adds ${added}; nothing was created: delete what is no longer needed, or ask an administrator to raise the quota`,
      )
  }
}
