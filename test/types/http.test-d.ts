import { type PathParams, reply, route } from 'plinth/http'
import { type CryptoPort, nodeCrypto, type Refusal, type Refused } from 'plinth/node'
import type { CryptoPort as SecretsCrypto } from 'plinth/secrets'
import { expectError, expectType } from 'tsd'
import * as z from 'zod'

expectType<{ readonly node_pool: string }>({} as PathParams<'/v1/node/pool/:node_pool'>)
expectType<{ readonly mount: string; readonly path: string }>({} as PathParams<'/v1/:mount/data/*path'>)

route<{ readonly caller: string }>()({
  id: 'x',
  method: 'PUT',
  path: '/v1/:mount/data/*path',
  summary: 'x',
  query: z.object({ version: z.coerce.number().optional() }),
  body: z.object({ data: z.record(z.string(), z.string()) }),
  refusals: ['cas_mismatch'],
  handle: ({ context, params, query, body }) => {
    expectType<string>(context.caller)
    expectType<string>(params.path)
    expectType<number | undefined>(query.version)
    expectType<Record<string, string>>(body.data)
    expectError(params.nope)
    return reply()
  },
})

// Cryptography is one port, wherever it is imported from.
expectType<CryptoPort>(nodeCrypto({ scryptLogN: undefined }))
expectType<SecretsCrypto>(nodeCrypto())

// What a refusal holds has a name wherever refusals do.
expectType<Refusal<'blob_too_large'>>({} as Refused<'blob_too_large'>['refusal'])
