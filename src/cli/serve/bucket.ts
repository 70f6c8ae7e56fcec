import { percentDecoded } from '../../kernel/decoded.ts'
import { type Blobs, isStoreError } from '../../store/index.ts'
import { UserError } from '../user-error.ts'
import { peer } from './peer.ts'

/** The prefix of a bucket in `--blobs`. */
const bucketPrefix = 's3://'

export const isBucket = (where: string): boolean => where.startsWith(bucketPrefix)

/** The parts of an `s3://` URL in `--blobs`. */
interface BucketPlace {
  readonly bucket: string
  readonly prefix: string
  readonly region: string | undefined
  readonly endpoint: string | undefined
  /** Whether clients download from the bucket and upload to it directly. */
  readonly presign: boolean
}

const form = 's3://BUCKET/PREFIX?region=…&endpoint=https://…&presign=true'

/** Reads `s3://BUCKET/PREFIX?region=…&endpoint=…&presign=true`. */
export function readBucket(text: string): BucketPlace {
  const wrong = (why: string) => new UserError(`--blobs ${why}: write it as ${form}`, 2)
  if (!URL.canParse(text)) throw wrong('names no bucket')
  const { hostname: bucket, port, pathname, searchParams, username, password } = new URL(text)
  // The URL is in no message: it may contain a secret.
  if (username !== '' || password !== '') throw wrong('takes no credentials: the AWS SDK finds them itself')
  if (bucket === '' || port !== '') throw wrong('names no bucket')
  const named = [...searchParams.keys()]
  const unknown = named.find((name) => !/^(?:region|endpoint|presign)$/.test(name))
  if (unknown !== undefined) throw wrong(`does not take ${unknown}`)
  const repeated = named.find((name, at) => named.indexOf(name) < at)
  if (repeated !== undefined) throw wrong(`takes ${repeated} only once`)
  const endpoint = searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !(/^https?:/.test(endpoint) && URL.canParse(endpoint)))
    throw wrong('has an endpoint that is not a URL')
  const presign = searchParams.get('presign') ?? 'false'
  if (presign !== 'true' && presign !== 'false') throw wrong('takes presign=true or presign=false')
  const folder = percentDecoded(pathname)?.replace(/^\/+|\/+$/g, '')
  if (folder === undefined) throw wrong('has a prefix with an incomplete % escape')
  return {
    bucket,
    prefix: folder === '' ? '' : `${folder}/`,
    region: searchParams.get('region') ?? undefined,
    endpoint,
    presign: presign === 'true',
  }
}

/** Opens the images and the archives in a bucket; the AWS SDK finds a missing region, and the credentials. */
export async function openBucket(text: string): Promise<{ readonly blobs: Blobs; readonly archives: Blobs }> {
  const { bucket, prefix, region, endpoint, presign } = readBucket(text)
  const { GetObjectCommand, PutObjectCommand, S3 } = await peer(
    '--blobs s3://…',
    '@aws-sdk/client-s3@3',
    () => import('@aws-sdk/client-s3'),
  )
  const { s3Blobs } = await import('../../store/s3/index.ts')
  const client = new S3({
    ...(region === undefined ? {} : { region }),
    // Other object stores have no host per bucket, and may not support checksums after the body.
    ...(endpoint === undefined
      ? {}
      : {
          endpoint,
          forcePathStyle: true,
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }),
  })
  const signing = presign
    ? await peer(
        '--blobs s3://… with presign=true',
        '@aws-sdk/s3-request-presigner@3',
        () => import('@aws-sdk/s3-request-presigner'),
      )
    : undefined
  const open = (prefix: string) =>
    s3Blobs({
      client,
      bucket,
      prefix,
      presign:
        signing &&
        (({ method, ...input }, expiresIn) =>
          signing.getSignedUrl(
            client,
            method === 'GET' ? new GetObjectCommand(input) : new PutObjectCommand(input),
            { expiresIn },
          )),
    })
  try {
    return { blobs: await open(`${prefix}images/`), archives: await open(`${prefix}modules/`) }
  } catch (error) {
    if (isStoreError(error)) throw new UserError(error.message)
    // The SDK's errors have no common class: no region, no credentials, no such host.
    const why = error instanceof Error ? error.message : String(error)
    throw new UserError(`cannot use the bucket ${bucket}: ${why}`)
  }
}
