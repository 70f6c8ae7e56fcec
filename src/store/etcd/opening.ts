import { StoreError } from '../port/errors.ts'
import type { EtcdClient } from './client.ts'
import { explain, isPassing } from './errors.ts'
import type { Session } from './realm.ts'
import { below, decode, one, put, unchanged } from './wire.ts'

interface Status {
  readonly header: { readonly cluster_id: string }
  readonly version: string
  readonly leader?: string
  readonly isLearner?: boolean
  readonly errors?: readonly string[]
}

/** Refuses endpoints that are not of one etcd cluster, and tells of those that are silent. */
export async function checkCluster(
  client: EtcdClient,
  warn: (message: string) => void = () => {},
): Promise<void> {
  const answers = await client.each<Status>('/v3/maintenance/status', {})
  let cluster: string | undefined
  for (const [endpoint, status] of answers) {
    if (status instanceof StoreError && status.code === 'unreachable')
      warn(`the endpoint ${endpoint} does not answer`)
    else if (status instanceof Error) throw status
    else {
      const unsuitable = (why: string) => new StoreError('unsuitable', `${endpoint} ${why}`)
      const { header, version = '', isLearner, leader, errors = [] } = status
      if (header?.cluster_id === undefined || !/^3\.(?:[4-9]|\d\d)/.test(version))
        throw unsuitable(`is etcd ${version}: 3.4 or later is needed`)
      if (isLearner === true) throw unsuitable('is a learner, which answers nothing yet: omit it')
      cluster ??= header.cluster_id
      if (cluster !== header.cluster_id)
        throw unsuitable('belongs to another cluster than the endpoints before it: pass members of one')
      if (leader === undefined) warn(`${endpoint} has no leader: a majority of its cluster is missing`)
      for (const error of errors) warn(`${endpoint} reports ${error}`)
    }
  }
}

/** Takes a prefix, which must be empty or ours. */
export async function claimPrefix({ client }: Pick<Session, 'client'>, prefix: string): Promise<void> {
  const marker = `${prefix}/plinth`
  while (true) {
    const [format, keys] = await client.read([
      one(marker),
      { ...below(`${prefix}/`), limit: '1', keys_only: true },
    ])
    const [found] = format?.kvs ?? []
    if (found === undefined && keys?.kvs !== undefined)
      throw new StoreError(
        'foreign',
        `the prefix ${prefix} holds keys of another program: choose another prefix`,
      )
    if (found !== undefined && decode(found.value) !== '1')
      throw new StoreError(
        'wrong_schema',
        `the prefix ${prefix} has format ${decode(found.value).slice(0, 20)}; this version of plinth knows 1`,
      )
    if (found !== undefined) return
    await client.write([unchanged(marker)], [put(marker, '1')]).catch((error: unknown) => {
      if (!isPassing(error)) throw explain(error, 'etcd')
    })
  }
}
