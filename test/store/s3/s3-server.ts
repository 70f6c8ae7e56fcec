import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand, PutObjectCommand, S3 } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import S3rver from 's3rver'
import type { S3BlobsOptions } from '../../../src/store/s3/index.ts'

/** A server that speaks the protocol of S3 on this machine, with one bucket, and the real client for it. */
export async function s3Server() {
  const directory = mkdtempSync(join(tmpdir(), 'plinth-s3-'))
  const name = 'plinth'
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory },
    configureBuckets: [{ name }],
  })
  const { port } = await server.run()
  const client = new S3({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    // The server is older than checksums behind the body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  /** Signs requests as the documentation says. */
  const presign: S3BlobsOptions['presign'] = ({ method, ...input }, expiresIn) =>
    getSignedUrl(client, method === 'GET' ? new GetObjectCommand(input) : new PutObjectCommand(input), {
      expiresIn,
    })
  return {
    client,
    name,
    endpoint: `http://127.0.0.1:${port}`,
    presign,
    close: async () => {
      client.destroy()
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
