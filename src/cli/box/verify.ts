import { UserError } from '../user-error.ts'
import { type CatalogClient, Declined, type Fields, found, listOf, made, textOf } from './catalog-client.ts'
import { hasImage } from './place-box.ts'

/** Compares the released versions of boxes in two catalogs, and prints a line for each difference. */
export async function verifyBoxes(
  from: CatalogClient,
  to: CatalogClient,
  user: string,
  names: readonly string[],
): Promise<void> {
  let [same, different] = [0, 0]
  const tell = (what: string, problem: string) => {
    different += 1
    process.stdout.write(`${what}: ${problem}\n`)
  }
  for (const name of names) {
    const tag = `${user}/${name}`
    const read = async (of: CatalogClient) =>
      found(await of.call('GET', ['box', user, name]), `${tag} at ${of.url}`)
    const source = made(await from.call('GET', ['box', user, name]), `${tag} at ${from.url}`)
    const copy = await read(to).catch((error: unknown) => {
      if (error instanceof Declined) return undefined
      throw error
    })
    if (copy === undefined) {
      tell(tag, 'the box is missing')
      continue
    }
    if ((source['private'] === true) !== (copy['private'] === true))
      tell(tag, `private is ${copy['private']}, not ${source['private']}`)
    const copies = new Map(listOf(copy, 'versions').map((version) => [textOf(version, 'version'), version]))
    for (const version of listOf(source, 'versions')) {
      const number = textOf(version, 'version')
      if (version['status'] !== 'active') continue
      const there = copies.get(number)
      const what = `${tag} ${number}`
      if (there?.['status'] !== 'active') {
        tell(what, there === undefined ? 'the version is missing' : `the version is ${there['status']}`)
        continue
      }
      const images = new Map(listOf(there, 'providers').map((provider) => [keyOf(provider), provider]))
      for (const provider of listOf(version, 'providers')) {
        const problem = await problemOf(provider, images.get(keyOf(provider)), to)
        if (problem === undefined) same += 1
        else tell(`${what} ${keyOf(provider)}`, problem)
      }
    }
  }
  process.stdout.write(`${same} images are the same, ${different} differences\n`)
  if (different > 0)
    throw new UserError(`${to.url} is not a complete copy of the boxes of ${user} at ${from.url}`)
}

const keyOf = (provider: Fields): string =>
  `${textOf(provider, 'name')} ${textOf(provider, 'architecture') ?? 'unknown'}`

/** How an image differs from that of the other catalog; `undefined` if it does not. */
async function problemOf(
  source: Fields,
  copy: Fields | undefined,
  to: CatalogClient,
): Promise<string | undefined> {
  if (copy === undefined) return 'the image is missing'
  const [wanted, has] = [source, copy].map((provider) => textOf(provider, 'checksum')?.toLowerCase())
  if (wanted !== undefined && wanted !== has) return `the checksum is ${has ?? 'absent'}, not ${wanted}`
  if (source['hosted'] === false) {
    const [url, other] = [source, copy].map((provider) => textOf(provider, 'original_url'))
    return url === other ? undefined : `it links to ${other ?? 'nothing'}, not to ${url}`
  }
  return (await hasImage(to, copy)) ? undefined : 'its bytes are missing'
}
